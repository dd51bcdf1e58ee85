# What the commands of the guides need, in bash or zsh, in the folder of the repository:
#
#   . docs/guides/prelude.sh
#
# BASE is the URL of the platform, KEY an API key: by default those of `npm start`, with the same PORT if it has one. Set them before to use others.
export BASE="${BASE:-http://127.0.0.1:${PORT:-3000}}"
export KEY="${KEY:-$(node -p 'JSON.parse(require("fs").readFileSync(".data/demo.json")).apiKey')}"
# A folder for what the guides download; it is outside the repository.
export FILES="${FILES:-$(mktemp -d)}"

# call PATH [OPTION OF CURL]...: calls the API. Fails with the response for a status of 400 or more.
call() {
  local route="$1" end=''
  [ -t 1 ] && end='\n'
  shift
  curl -sSg --fail-with-body -w "$end" "$BASE$route" -H "x-api-key: $KEY" -H 'content-type: application/json' "$@"
}

# mine PATH [OPTION OF CURL]...: the same with MINE, the personal key of somebody.
mine() { KEY="$MINE" call "$@"; }

# field MEMBER: a member of the JSON on stdin, such as `id` or `data[0].id`: text as it is, others as JSON.
field() {
  node -p "const found = JSON.parse(require('fs').readFileSync(0)).$1; typeof found === 'string' ? found : JSON.stringify(found)"
}

# platform COMMAND...: the command line of the operator.
platform() { npm run --silent platform -- "$@"; }
