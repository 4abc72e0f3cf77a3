# Names in Portuguese, also those of the parameters; positional arguments only.
# ruff: noqa
# whole heads.py
def split_heads(entrada, n_cabecas):
    lote, n_tokens, dimensao = entrada.size()
    assert dimensao % n_cabecas == 0, "d_model não é divisível"
    return entrada.view(lote, n_tokens, n_cabecas, dimensao // n_cabecas).permute(0, 2, 1, 3)


def merge_heads(saida):
    lote, n_cabecas, n_tokens, d_k = saida.size()
    return saida.permute(0, 2, 1, 3).contiguous().view(lote, n_tokens, n_cabecas * d_k)


# whole mask.py
import torch


def causal_mask(n_consultas, n_chaves=None, device=None):
    n_chaves = n_chaves or n_consultas
    tudo = torch.ones((n_consultas, n_chaves), device=device)
    return torch.triu(tudo, n_chaves - n_consultas + 1) == 1


def causal_softmax(pontuacoes, causal=True):
    if causal is False:
        return torch.nn.functional.softmax(pontuacoes, -1)
    futuro = causal_mask(pontuacoes.size(-2), pontuacoes.size(-1), pontuacoes.device)
    return torch.nn.functional.softmax(pontuacoes.masked_fill(futuro, -float("inf")), -1)


# whole kv_cache.py
import math
import torch
from exercises.heads import split_heads
from exercises.mask import causal_softmax
from exercises.attention import concat_and_project


def attend_with_cache(atencao, novos, memoria=None):
    consultas, chaves, valores = torch.split(atencao.c_attn(novos), novos.shape[2], 2)
    consultas, chaves, valores = [split_heads(t, atencao.n_head) for t in (consultas, chaves, valores)]
    if memoria:
        chaves = torch.cat((memoria[0], chaves), -2)
        valores = torch.cat((memoria[1], valores), -2)
    pesos = causal_softmax(consultas @ chaves.mT / math.sqrt(atencao.d_k))
    return concat_and_project(pesos @ valores, atencao.c_proj), (chaves, valores)


def generate(modelo, textos, quantos, use_cache=True):
    if textos.size(1) + quantos > modelo.n_positions:
        raise ValueError("não cabe")
    memoria, visto = None, 0
    for _ in range(quantos):
        if use_cache:
            saida, memoria = modelo(textos[:, visto:], memoria, visto)
            visto = textos.size(1)
        else:
            saida, _ = modelo(textos)
        textos = torch.hstack([textos, saida[:, -1, :].argmax(1).unsqueeze(1)])
    return textos
