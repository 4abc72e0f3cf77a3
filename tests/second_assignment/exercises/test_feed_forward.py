"""Public tests of feed_forward.py."""

import torch

from exercises.selfcheck.inputs import wave


def filled(block):
    """fc_in copies every number four times, fc_out adds the copies up."""
    fc_in, fc_out = block.layer("fc_in", times=4), block.layer("fc_out", times=1 / 4)
    d = fc_out.weight.shape[0]
    with torch.no_grad():
        fc_in.weight.copy_(torch.eye(d).repeat(4, 1))
        fc_out.weight.copy_(torch.eye(d).repeat(1, 4))
        fc_in.bias.zero_()
        fc_out.bias.fill_(1)
    return block


def test_what_came_in_is_added(FeedForward, check):
    x = torch.tensor([[[5.0, 5, 5, 5]]])  # its norm is 0, and so is GELU of it
    check.same(filled(FeedForward(4))(x), [[[6, 6, 6, 6]]], "batch token number")


def test_gelu_of_the_norm(FeedForward, check):
    x = torch.tensor([[[0.0, 0, 4, 4]]])  # its norm is -1 -1 1 1
    low, high = 1 - 4 * 0.1586553, 1 + 4 * 0.8413447
    check.same(filled(FeedForward(4))(x), [[[low, low, 4 + high, 4 + high]]], "batch token number")


def test_any_sizes(FeedForward, check):
    for B, n, d in ((2, 3, 8), (1, 1, 2)):
        block, x = filled(FeedForward(d)), wave(B, n, d)
        check.that(block(x).shape == (B, n, d), "wrong.not_its_shape")
