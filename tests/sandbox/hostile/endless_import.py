# ruff: noqa
while True:
    pass
