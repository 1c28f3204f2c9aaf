# shellcheck shell=sh
# include process.sh

# alive PID BORN: a process that nobody waited for is none.
alive() {
  case "$(facts "$1")" in "" | Z*) return 1 ;; *" $2") return 0 ;; *) return 1 ;; esac
}
