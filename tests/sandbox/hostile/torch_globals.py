# ruff: noqa
torch.set_default_dtype(torch.float64)
torch.use_deterministic_algorithms(True)
torch.set_grad_enabled(False)
torch.manual_seed = lambda *a: None
torch.randn = lambda *a, **k: torch.zeros(*a)
torch.set_default_device("meta")
torch.autograd.set_detect_anomaly(True)
