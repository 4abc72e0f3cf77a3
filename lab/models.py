"""Where a GPT-2 lies: "mini" comes with the kit, anything else is a folder or a name on the hub."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from lab.language import Texts

MINI = Path(__file__).resolve().parent / "mini_gpt2"
FILES = ("config.json", "model.safetensors", "tokenizer.json", "vocab.json", "merges.txt")
PATIENCE = 15.0  # seconds for the hub's first answer; after that we say there is no network


class ModelNotFound(Exception):
    """The model cannot be had; `id` and `params` name the sentence in the lab's texts."""

    def __init__(self, id: str, **params: object) -> None:
        self.id, self.params = id, params
        super().__init__(Texts("en")(id, **params))


def find_model(name: str | Path) -> Path:
    """The folder of the model: never waits longer than PATIENCE for a network that is not there.

    Raises ModelNotFound.
    """
    if str(name) == "mini":
        return MINI
    folder = Path(name)
    if folder.is_dir():
        if not (folder / "config.json").exists():
            raise ModelNotFound("model.folder", name=name)
        return folder
    return _from_hub(str(name))


def on_this_machine(name: str) -> Path | None:
    """The folder of a model that was downloaded before, without asking the network. Raises ModelNotFound."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    try:
        folder = Path(snapshot_download(name, allow_patterns=list(FILES), local_files_only=True))
    except HFValidationError:
        raise ModelNotFound("model.unknown", name=name) from None
    except (OSError, ValueError):  # not in the cache
        return None
    return folder if (folder / "model.safetensors").exists() and (folder / "config.json").exists() else None


def _knock() -> None:
    """Fails at once where there is no network; the hub's own client would try again and again.

    Raises OSError.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or getproxies().get("https"):
        return  # nothing to ask, or not the way that requests will go
    hub = urlsplit(constants.ENDPOINT)
    port = hub.port or (80 if hub.scheme == "http" else 443)
    socket.create_connection((hub.hostname or "", port), timeout=PATIENCE / 3).close()


def _from_hub(name: str) -> Path:
    from huggingface_hub import hf_hub_download, snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError
    from huggingface_hub.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # one sentence from us instead of a warning per attempt
    folder = on_this_machine(name)
    if folder is not None:
        return folder

    # Looking up a host can block for minutes without a network, and no timeout reaches it: ask in a thread.
    answer: list[BaseException | None] = []

    def ask() -> None:
        try:
            _knock()
            hf_hub_download(name, "config.json", etag_timeout=PATIENCE / 4)
            answer.append(None)
        except Exception as e:  # noqa: BLE001 - whatever it is, it is the reason that we show
            answer.append(e)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    reason = answer[0] if answer else TimeoutError(f"no answer in {PATIENCE:.0f} seconds")
    if isinstance(reason, RepositoryNotFoundError):
        raise ModelNotFound("model.unknown", name=name)
    if reason is not None:
        text = (str(reason).splitlines() or [""])[0][:100] or type(reason).__name__
        raise ModelNotFound("model.unreachable", name=name, reason=text.rstrip(" ."))
    return Path(snapshot_download(name, allow_patterns=list(FILES), etag_timeout=PATIENCE))
