"""Where a GPT-2 lies: "mini" comes with the kit, anything else is a folder or a name on the hub."""

from __future__ import annotations

import threading
from pathlib import Path

MINI = Path(__file__).resolve().parent / "mini_gpt2"
FILES = ("config.json", "model.safetensors", "tokenizer.json", "vocab.json", "merges.txt")
PATIENCE = 20.0  # seconds for the hub's first answer; after that we say there is no network


class ModelNotFound(Exception):
    """The model cannot be had; `id` and `params` name the sentence in the lab's texts."""

    def __init__(self, id: str, **params: object) -> None:
        self.id, self.params = id, params
        super().__init__(_SENTENCES[id].format(**params))


_SENTENCES = {
    "model.folder": (
        "{name}: there is no config.json in this folder; give a folder with a Hugging Face GPT-2."
    ),
    "model.unreachable": (
        "{name} is not on this machine and the Hugging Face hub cannot be reached ({reason}). "
        "Connect once to the network and run this again, copy the model's folder here and give its path, "
        "or use the small model that comes with the kit: --model mini."
    ),
}


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
        raise ModelNotFound(
            "model.unreachable", name=name, reason="no such folder, not a model's name"
        ) from None
    except (OSError, ValueError):  # not in the cache
        return None
    return folder if (folder / "model.safetensors").exists() and (folder / "config.json").exists() else None


def _from_hub(name: str) -> Path:
    from huggingface_hub import hf_hub_download, snapshot_download

    folder = on_this_machine(name)
    if folder is not None:
        return folder

    # Looking up a host can block for minutes without a network, and no timeout reaches it: ask in a thread.
    answer: list[BaseException | None] = []

    def ask() -> None:
        try:
            hf_hub_download(name, "config.json", etag_timeout=PATIENCE / 4)
            answer.append(None)
        except Exception as e:  # noqa: BLE001 - whatever it is, it is the reason that we show
            answer.append(e)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    reason = answer[0] if answer else TimeoutError(f"no answer in {PATIENCE:.0f} seconds")
    if reason is not None:
        raise ModelNotFound("model.unreachable", name=name, reason=type(reason).__name__)
    return Path(snapshot_download(name, allow_patterns=list(FILES), etag_timeout=PATIENCE))
