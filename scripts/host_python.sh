# Runs its arguments with the first Python >= 3.11 it finds (or with $PYTHON, when that is set).

for python in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        exec "$python" "$@"
    fi
done
echo "Kame Desktop needs Python 3.11 or newer (looked for: ${PYTHON:-python3, python3.11 ... python3.14})." >&2
echo "Install one, or name one: make run PYTHON=/path/to/python3" >&2
exit 1
