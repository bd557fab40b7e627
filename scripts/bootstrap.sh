# Makes .venv, with the pinned uv in it. With the argument "moved" an environment that is there is made anew.
set -eu

clear=
if [ "${1:-}" = moved ] || ! .venv/bin/python -c '' 2>/dev/null; then
    clear=--clear
fi
if [ -n "$clear" ]; then
    echo "Making the environment .venv"
    sh scripts/host_python.sh -m venv --clear .venv
elif ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    .venv/bin/python -m ensurepip >/dev/null
fi
echo "Installing requirements/bootstrap.txt"
.venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes \
    -r requirements/bootstrap.txt
mkdir -p .venv/.done
pwd >.venv/.done/here
