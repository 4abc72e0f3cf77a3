"""Mistakes planted two at a time and judged: are both named? (python -m autograder.pairs)"""
