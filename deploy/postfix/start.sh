#!/bin/sh
# Starts the relay of a container for the host PBEM_HOST, with the DKIM key that lies in its secrets.
set -eu
for file in main.cf header_checks; do
    sed "s/play\.example\.org/$PBEM_HOST/g" "/usr/share/pbem-relay/$file" >"/etc/postfix/$file"
done
sed "s/play\.example\.org/$PBEM_HOST/g" /usr/share/pbem-relay/opendkim.conf >/etc/opendkim.conf
install -D -m 0400 -o opendkim -g opendkim /run/secrets/dkim /etc/dkimkeys/pbem.private
postconf -e maillog_file=/dev/stdout
opendkim -x /etc/opendkim.conf
exec postfix start-fg
