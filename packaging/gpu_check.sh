#!/usr/bin/env bash
# The KAME engine on a machine with CUDA: random weights at full size (nothing is downloaded), what a frame takes in
# bf16 and in int8, and proof that the captured CUDA graphs see a changed oracle token.
#
#   bash packaging/gpu_check.sh            needs 24 GB of GPU memory, 17 GB of disk, 40 GB of memory
#   SIZE=tiny bash packaging/gpu_check.sh  the same with the tiny configuration, on the CPU where there is no GPU
#
# PYTHON: an interpreter with the extra gpu (default: .venv/bin/python, after 'make gpu'). WORK: where the weights go
# (default: a temporary folder that is removed). ROUNDS: frames of each kind. The last lines are a table for README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

PYTHON=${PYTHON:-.venv/bin/python}
SIZE=${SIZE:-full}
ROUNDS=${ROUNDS:-400}
if [ -z "${WORK:-}" ]; then
    WORK=$(mktemp -d)
    trap 'rm -rf "$WORK"' EXIT
fi
export PYTHONPATH="app:.${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1

echo "== weights"
"$PYTHON" - "$SIZE" "$WORK/model" <<'PY'
import json
import shutil
import sys
from pathlib import Path

import torch
from moshi.models import loaders
from safetensors.torch import save_file

size, folder, golden = sys.argv[1], Path(sys.argv[2]), Path("tests/golden/tiny-kame")
folder.mkdir(parents=True, exist_ok=True)
device = "cuda" if torch.cuda.is_available() else "cpu"
if size == "full" and device == "cpu":
    sys.exit("torch finds no CUDA device here.")
names = {"moshi_name": "model.safetensors", "mimi_name": "mimi.safetensors", "tokenizer_name": "tokenizer.model"}
if size == "full":
    lm_config, mimi_config = dict(loaders._lm_kwargs), None
else:
    tiny = json.loads((golden / "config.json").read_text())
    lm_config = {key: tiny[key] for key in loaders._lm_kwargs}
    mimi_config = json.loads((golden / "mimi_config.json").read_text())
    (folder / "mimi_config.json").write_text(json.dumps(mimi_config))
    names["mimi_config_name"] = "mimi_config.json"
torch.manual_seed(0)
with torch.no_grad():
    lm = loaders.get_moshi_lm(None, lm_kwargs=lm_config, device=device, dtype=torch.bfloat16)
    weights = {name: tensor.cpu().contiguous() for name, tensor in lm.state_dict().items()}
    table = torch.randn((lm_config["text_card"] + 1, lm_config["dim"]), dtype=torch.bfloat16)
    weights["oracle_emb.weight"] = table * lm_config["dim"] ** -0.5
    save_file(weights, folder / "model.safetensors")
    del lm, weights
    codec = loaders.get_mimi(None, mimi_config, num_codebooks=8).state_dict()
    for name, tensor in codec.items():  # codebooks start as zeros
        if name.endswith("embedding_sum"):
            tensor.normal_()
        elif name.endswith("cluster_usage"):
            tensor.fill_(1.0)
        elif name.endswith("_initialized"):
            tensor.fill_(1.0)
    save_file({name: tensor.contiguous() for name, tensor in codec.items()}, folder / "mimi.safetensors")
shutil.copy(golden / "tokenizer_spm_tiny.model", folder / "tokenizer.model")
(folder / "config.json").write_text(json.dumps({**lm_config, **names, "model_type": "moshi"}))
print(f"{sum(file.stat().st_size for file in folder.iterdir()) / 1e9:.1f} GB in {folder}")
PY

cat > "$WORK/check.py" <<'PY'
import json
import sys
from pathlib import Path

import torch

from kame_desktop.core.activity import Activity
from kame_desktop.frontends.kame import KameFrontend
from kame_desktop.frontends.kame_bench import measure_frames
from kame_desktop.frontends.kame_generation import GenerationOptions

what, folder, quantize = sys.argv[1], Path(sys.argv[2]), None if sys.argv[3] == "bf16" else sys.argv[3]


def make(**options):
    return KameFrontend(lambda: folder, steer=True, activity=Activity(), quantize=quantize, **options)


def told(done, text):
    if text != told.last:
        print(f"   {text}", file=sys.stderr)
    told.last = text


told.last = ""
if what == "bench":
    result = measure_frames(make(), rounds=int(sys.argv[4]), progress=told)
    if torch.cuda.is_available():
        result["gpu"] = torch.cuda.get_device_name()
        result["peak_gb"] = round(torch.cuda.max_memory_allocated() / 1e9, 1)
    print(json.dumps(result, indent=2))
    Path(sys.argv[5]).write_text(json.dumps(result))
else:
    logits = []
    options = GenerationOptions(greedy=True, on_text_logits=lambda tensor: logits.append(tensor.float().cpu().clone()))
    frontend = make(options=options)
    frontend.load(told)
    codes = torch.zeros((1, 8, 1), dtype=torch.long, device=frontend.choice.device)

    def run(token):
        frontend.reset()
        logits.clear()
        for step in range(30):
            frontend.generation.advance(codes, token if step == 25 else 3)
        return torch.stack(logits)

    nothing, again, something = run(3), run(3), run(270)
    graphed = frontend.generation.lm_gen._streaming_state.graphed_main._graph is not None
    assert graphed or not torch.cuda.is_available(), "no CUDA graph was captured"
    assert torch.equal(nothing, again), "the same oracle gave other logits"
    assert torch.equal(nothing[:25], something[:25]), "the runs differ before the oracle does"
    change = (nothing[25] - something[25]).abs().max().item()
    assert change > 0.0, "the oracle token was not seen"
    print(f"CUDA graph captured: {graphed}. One changed oracle token moves a text logit by {change:.3g}; before it, 0.")
PY

echo "== oracle ($SIZE, bf16)"
"$PYTHON" "$WORK/check.py" oracle "$WORK/model" bf16
for kind in bf16 int8; do
    echo "== frames ($SIZE, $kind)"
    "$PYTHON" "$WORK/check.py" bench "$WORK/model" "$kind" "$ROUNDS" "$WORK/$kind.json"
done

echo "== table"
"$PYTHON" - "$WORK" <<'PY'
import json
import sys
from pathlib import Path

print("| device | weights | encode | step | decode | frame p50 | p95 | p99 | over bare | over bandwidth floor | memory |")
print("|---|---|---|---|---|---|---|---|---|---|---|")
for kind in ("bf16", "int8"):
    result = json.loads((Path(sys.argv[1]) / f"{kind}.json").read_text())
    ms, floor = result["ms"], result.get("floor_ms")
    cells = [result.get("gpu", result["device"]), kind if floor else f"{result['dtype']} ({kind})"]
    cells += [f"{ms[part]['p50']:.1f} ms" for part in ("encode", "step", "decode")]
    cells += [f"{ms['engine'][p]:.1f} ms" for p in ("p50", "p95", "p99")]
    cells += [f"x {result['median_ratio']:.3f}", f"x {result['floor_ratio']:.2f} of {floor:.1f} ms" if floor else "-"]
    cells += [f"{result['peak_gb']} GB" if "peak_gb" in result else "-"]
    print("| " + " | ".join(cells) + " |")
PY
