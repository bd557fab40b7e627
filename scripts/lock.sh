# Pins pyproject.toml's dependencies in requirements/*.txt: one resolution for everything, then a file for each need
# that takes its versions from there. `--upgrade` takes the newest releases; without it, pins that still fit stay.
set -eu

all=.venv/.lock.txt
upgrade=${1:-}

compile() {
    output=$1
    shift
    UV_CUSTOM_COMPILE_COMMAND="make lock" .venv/bin/python scripts/uv.py pip compile --quiet --universal \
        --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-build \
        --overrides requirements/overrides.txt --output-file "$output" "$@"
}

echo "Resolving"
if [ -z "$upgrade" ]; then
    cat requirements/bootstrap.txt requirements/dev.txt requirements/gpu.txt 2>/dev/null >"$all" || true
else
    rm -f "$all"
fi
compile "$all" pyproject.toml --all-extras requirements/bootstrap.in

# A file's old pins are preferred to newer releases, so that a file that starts as a copy of $all keeps its versions.
for file in base starter dev gpu bootstrap; do
    case $file in
        base) sources="pyproject.toml" ;;
        starter) sources="pyproject.toml --extra starter --extra starter-llm" ;;
        dev) sources="pyproject.toml --extra starter --extra starter-llm --extra dev" ;;
        gpu) sources="pyproject.toml --extra gpu" ;;
        bootstrap) sources="requirements/bootstrap.in" ;;
    esac
    cp "$all" "requirements/$file.txt"
    # shellcheck disable=SC2086 # several words
    compile "requirements/$file.txt" $sources
    echo "requirements/$file.txt: $(grep -c == "requirements/$file.txt") packages"
    grep -E '^[a-z0-9]' "requirements/$file.txt" | sed 's/ *\\$//; s/ *;.*//' | while read -r pin; do
        grep -qE "^$pin( |\$)" "$all" || { echo "$pin differs from the common resolution" >&2; exit 1; }
    done
done
