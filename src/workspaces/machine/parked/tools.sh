# shellcheck shell=sh
# Says which programs lack: those of GNU are needed for names of any bytes, for times, and for holes in files.
export LC_ALL=C
unset TAR_OPTIONS POSIXLY_CORRECT
lacks=
tar --version 2>/dev/null | grep -q 'GNU tar' || lacks="$lacks tar"
find --version 2>/dev/null | grep -q 'GNU findutils' || lacks="$lacks find"
sha256sum --version 2>/dev/null | grep -q 'GNU coreutils' || lacks="$lacks sha256sum"
[ -z "$lacks" ] || { echo "lacks$lacks"; exit 0; }
