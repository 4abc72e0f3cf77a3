"""One thread, as in the judge: on small tensors a second one only spins, on the same clock."""

from __future__ import annotations

import torch

torch.set_num_threads(1)
