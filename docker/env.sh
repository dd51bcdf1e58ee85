#!/bin/sh
# Writes docker/.env for compose.yaml, with new secrets and placeholders for settings. Needs only a shell:
#
#   sh docker/env.sh
#
# Keep a copy of the file. Encrypted data cannot be recovered without its MASTER_KEY.
set -eu
umask 077
file="$(dirname "$0")/.env"
random() { head -c "$1" /dev/urandom; }

# noclobber: never overwrites an existing file, even one created concurrently.
set -C
if ! {
  cat >"$file"
} 2>/dev/null <<END
# Created by docker/env.sh. Keep a copy: encrypted data cannot be recovered without MASTER_KEY.
MASTER_KEY=$(random 32 | base64 | tr -d '\n')
POSTGRES_PASSWORD=$(random 24 | od -An -vtx1 | tr -d ' \n')
# Passwords of the database roles of API and worker.
DATABASE_APP_PASSWORD=$(random 24 | od -An -vtx1 | tr -d ' \n')
DATABASE_SYSTEM_PASSWORD=$(random 24 | od -An -vtx1 | tr -d ' \n')
# Password of the user admin of Grafana.
GRAFANA_PASSWORD=$(random 12 | od -An -vtx1 | tr -d ' \n')

# Port of the API on this machine. Default: 3000.
#API_PORT=8080

# Public URL of the API: every link that people get begins with it.
PUBLIC_URL=http://localhost:3000
#PUBLIC_URL=https://api.example.com
# Networks of the reverse proxies in front of the API.
#TRUSTED_PROXIES=172.16.0.0/12

# Mail. Without a server, links are written to the log: docker compose -f docker/compose.yaml logs worker
#SMTP_URL=smtp://user:password@mail.example.com:587
#MAIL_FROM=Acme <no-reply@example.com>

# User sign-in, and the page opened from invitations.
#OIDC_ISSUER=https://login.example.com/
#OIDC_CLIENT_ID=client-id
#OIDC_CLIENT_SECRET=secret
#INVITATION_URL=https://app.example.com/join?token={token}

# Other settings listed in compose.yaml can be added here, see docs/reference/settings.md. Put values that contain $ or #
# in single quotes.
END
then
  if [ -e "$file" ]; then
    echo "$file is there already and stays as it is; remove it first if you want new secrets (the old data cannot be opened with them)" >&2
  else
    echo "$file cannot be written" >&2
  fi
  exit 1
fi
echo "Wrote $file. Keep a copy of it in a safe place."
