#!/bin/sh
# Writes docker/.env, which compose.yaml reads: new secrets, and a place for each setting. Needs nothing but a shell:
#
#   sh docker/env.sh
#
# Keep a copy of the file. Without its MASTER_KEY nobody can open what the platform has sealed.
set -eu
umask 077
file="$(dirname "$0")/.env"
random() { head -c "$1" /dev/urandom; }

# noclobber: a file that is there is never written over, whoever makes it meanwhile.
set -C
if ! {
  cat >"$file"
} 2>/dev/null <<END
# Made by docker/env.sh. Keep a copy: without MASTER_KEY nobody can open what the platform has sealed.
MASTER_KEY=$(random 32 | base64 | tr -d '\n')
POSTGRES_PASSWORD=$(random 24 | od -An -vtx1 | tr -d ' \n')

# Address under which others reach the API; links in mails begin with it. Without it they lead to http://localhost:3000.
#PUBLIC_URL=https://api.example.com
# Networks of the proxies in front of it.
#TRUSTED_PROXIES=172.16.0.0/12

# Mail. Without a server the links stand in the log: docker compose -f docker/compose.yaml logs worker
#SMTP_URL=smtp://user:password@mail.example.com:587
#MAIL_FROM=Acme <no-reply@example.com>

# Sign-in of people, and the page that invitations lead to.
#OIDC_ISSUER=https://login.example.com/
#OIDC_CLIENT_ID=client-id
#OIDC_CLIENT_SECRET=secret
#INVITATION_URL=https://app.example.com/join?token={token}

# The other settings that compose.yaml names, from docs/reference/settings.md, can stand here too. A value with $ or # in it
# goes into single quotes.
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
