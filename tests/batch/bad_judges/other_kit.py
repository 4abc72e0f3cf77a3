from functools import partial

from tests.batch.fake_judge import serve

main = partial(serve, "other_kit")
