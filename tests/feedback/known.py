# ruff: noqa: E501 (whole sentences)
"""A few known mistakes for the pages' tests, so that golden pages do not change with the catalogue."""

from __future__ import annotations

from autograder.feedback.mistake_texts import MistakeText
from autograder.feedback.texts import Texts

_EN = {
    "split-no-transpose": MistakeText(
        "split-no-transpose",
        "2",
        "Tokens dealt out to the heads like cards",
        "The shape is right, but each head holds pieces of only some tokens, instead of its own slice of every token.",
        "`reshape` straight to `(B, n_head, n, d_k)` keeps the numbers in the order in which they lie in memory. "
        "There, all numbers of token 0 come first: so head 0 takes whole tokens until it is full.",
        "A head then mixes numbers of different tokens, and a later token can reach an earlier position.",
        (
            "Follow the first number of token 1: in which head should it end up, and in which row?",
            "First cut each token's numbers into slices; then bring the axis of heads forward.",
            "Two operations: a `reshape` or `view` that only cuts the last axis, then a `transpose`.",
        ),
    ),
    "mask-after-softmax": MistakeText(
        "mask-after-softmax",
        "3",
        "The future is removed after the softmax",
        "The weights of the future are 0, but those of the past no longer sum to 1.",
        "The softmax had already divided the whole budget among all tokens. Taking the future's share away "
        "afterwards leaves a hole.",
        "Early tokens get almost nothing, and future scores still change the weights of the past.",
        (
            "What does row 0 sum to, and what should it sum to?",
            "What must not be seen has to be gone before the budget is divided.",
            "`masked_fill` on the scores, with a value whose exponential is 0.",
        ),
    ),
    "recompute-all": MistakeText(
        "recompute-all",
        "3",
        "The cache is kept, but everything is computed again",
        "The numbers are right, but each new token costs as much as without a cache.",
        "K and V of earlier tokens are computed again in every step.",
        "Generating long texts becomes slow.",
        (
            "How many rows does `c_attn` get in each step?",
            "Only the new token is new.",
            "`torch.cat` of old and new K.",
        ),
    ),
}
_PT = {
    "split-no-transpose": MistakeText(
        "split-no-transpose",
        "2",
        "Tokens distribuídos às cabeças como cartas",
        "A forma está certa, mas cada cabeça guarda pedaços de só alguns tokens, em vez da sua fatia de cada token.",
        "`reshape` direto para `(B, n_head, n, d_k)` mantém os números na ordem em que estão na memória. Ali, todos "
        "os números do token 0 vêm primeiro: a cabeça 0 leva tokens inteiros até encher.",
        "Uma cabeça mistura então números de tokens diferentes, e um token posterior alcança uma posição anterior.",
        (
            "Siga o primeiro número do token 1: em que cabeça deveria parar, e em que linha?",
            "Primeiro corte os números de cada token em fatias; depois traga o eixo das cabeças para a frente.",
            "Duas operações: um `reshape` ou `view` que só corta o último eixo, depois um `transpose`.",
        ),
    ),
    "mask-after-softmax": MistakeText(
        "mask-after-softmax",
        "3",
        "O futuro é retirado depois do softmax",
        "Os pesos do futuro são 0, mas os do passado já não somam 1.",
        "O softmax já tinha dividido o orçamento inteiro entre todos os tokens. Tirar depois a parte do futuro "
        "deixa um buraco.",
        "Os primeiros tokens não recebem quase nada, e escores futuros ainda alteram os pesos do passado.",
        (
            "Quanto soma a linha 0, e quanto deveria somar?",
            "O que não pode ser visto precisa sumir antes de o orçamento ser dividido.",
            "`masked_fill` nos escores, com um valor cuja exponencial é 0.",
        ),
    ),
    "recompute-all": MistakeText(
        "recompute-all",
        "3",
        "O cache é guardado, mas tudo é calculado de novo",
        "Os números estão certos, mas cada token novo custa tanto quanto sem cache.",
        "K e V dos tokens anteriores são calculados de novo a cada passo.",
        "Gerar textos longos fica lento.",
        (
            "Quantas linhas `c_attn` recebe a cada passo?",
            "Só o token novo é novo.",
            "`torch.cat` de K antigo e novo.",
        ),
    ),
}


def mistakes(id: str, say: Texts) -> MistakeText | None:
    """As the catalogue would answer."""
    return (_PT if say.lang == "pt-BR" else _EN).get(id)
