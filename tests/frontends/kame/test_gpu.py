"""What only a CUDA device can show: the captured graphs read the oracle's id anew in every step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.frontends.kame.conftest import LoadedFactory
from tests.frontends.kame.scenes import Watch

torch = pytest.importorskip("torch", reason="torch is not installed (extra gpu)")
pytest.importorskip("moshi", reason="moshi is not installed (extra gpu)")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


def test_captured_graph_sees_a_changed_oracle_token(loaded: LoadedFactory) -> None:
    watch = Watch()
    frontend = loaded(device="cuda", options=watch.options())

    def run(oracle_at_20: int) -> Any:
        watch.begin(frontend)
        codes = torch.zeros((1, 8, 1), dtype=torch.long, device="cuda")
        for step in range(24):
            frontend.generation.advance(codes, oracle_at_20 if step == 20 else 3)
        return torch.stack(watch.logits)

    nothing, again, something = run(3), run(3), run(270)
    assert torch.equal(nothing, again)
    assert torch.equal(nothing[:20], something[:20])
    assert not torch.equal(nothing[20], something[20])
