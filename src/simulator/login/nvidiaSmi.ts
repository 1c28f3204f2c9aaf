import type { Slice } from '../market/market';
import { program } from './shell';

/**
 * A shell script that answers as the driver's tool would on the rented machine: the table, `-L`, and
 * `--query-gpu=… --format=csv[,noheader][,nounits]`. The figures are those of an idle GPU.
 */
export function nvidiaSmiScript({ machine, gpus }: Slice): string {
  const { model, driver, cuda } = machine;
  const count = Array.from({ length: gpus }, (_, index) => index);
  const list = count.map(
    (index) => `GPU ${index}: NVIDIA ${longName(model.name)} (UUID: ${uuid(machine.id, index)})`,
  );
  return program(
    '# Plays the tool of a simulated machine: there is no such GPU in this computer.',
    'query= header=1 units=1',
    'for arg in "$@"; do',
    '  case "$arg" in',
    '    -L|--list-gpus) query=list ;;',
    '    --query-gpu=*) query=${arg#--query-gpu=} ;;',
    '    --format=*) case "$arg" in *noheader*) header=0 ;; esac; case "$arg" in *nounits*) units=0 ;; esac ;;',
    '    -h|--help) echo "NVIDIA System Management Interface (simulated)"; exit 0 ;;',
    '  esac',
    'done',
    'if [ "$query" = list ]; then',
    "  cat <<'END'",
    ...list,
    'END',
    '  exit 0',
    'fi',
    'if [ -n "$query" ]; then',
    '  exec awk -v fields="$query" -v header="$header" -v units="$units" \\',
    `    -v gpus=${gpus} -v name='NVIDIA ${longName(model.name)}' -v memory=${model.ramMb} \\`,
    `    -v watts=${model.watts} -v driver='${driver}' -v cap='${(model.computeCap / 100).toFixed(1)}' -v machine=${machine.id} '`,
    queryProgram,
    "'",
    'fi',
    "cat <<'END'",
    ...table(model.name, model.ramMb, model.watts, driver, cuda.toFixed(1), count),
    'END',
  );
}

const queryProgram = `BEGIN {
  n = split(fields, f, ",")
  split("index uuid name memory.total memory.used memory.free utilization.gpu utilization.memory temperature.gpu power.draw power.limit driver_version compute_cap count pstate", known, " ")
  line = ""
  for (i = 1; i <= n; i++) {
    gsub(/^ +| +$/, "", f[i])
    u = ""
    if (units) { if (f[i] ~ /^memory/) u = " [MiB]"; if (f[i] ~ /^utilization/) u = " [%]"; if (f[i] ~ /^power/) u = " [W]" }
    line = line (i > 1 ? ", " : "") f[i] u
  }
  if (header) print line
  for (g = 0; g < gpus; g++) {
    line = ""
    for (i = 1; i <= n; i++) {
      k = f[i]; v = "[N/A]"
      if (k == "index") v = g
      else if (k == "uuid" || k == "gpu_uuid") v = sprintf("GPU-%08d-0000-0000-0000-%012d", machine, g)
      else if (k == "name" || k == "gpu_name") v = name
      else if (k == "memory.total") v = memory (units ? " MiB" : "")
      else if (k == "memory.used") v = "3" (units ? " MiB" : "")
      else if (k == "memory.free") v = (memory - 3) (units ? " MiB" : "")
      else if (k ~ /^utilization/) v = "0" (units ? " %" : "")
      else if (k == "temperature.gpu") v = 34 + g
      else if (k == "power.draw") v = "24.10" (units ? " W" : "")
      else if (k == "power.limit") v = sprintf("%.2f", watts) (units ? " W" : "")
      else if (k == "driver_version") v = driver
      else if (k == "compute_cap") v = cap
      else if (k == "count") v = gpus
      else if (k == "pstate") v = "P8"
      else if (k ~ /^clocks_(event|throttle)_reasons.active$/) v = "0x0000000000000001"
      line = line (i > 1 ? ", " : "") v
    }
    print line
  }
}`;

function table(
  name: string,
  ramMb: number,
  watts: number,
  driver: string,
  cuda: string,
  count: readonly number[],
): string[] {
  const bar = '+-----------------------------------------------------------------------------------------+';
  const split = '|-----------------------------------------+------------------------+----------------------+';
  const left = (text: string, width: number) => text.slice(0, width).padEnd(width);
  const right = (text: string, width: number) => text.slice(0, width).padStart(width);
  const rows = count.flatMap((index) => [
    `| ${right(String(index), 3)}  ${left(`NVIDIA ${longName(name)}`, 30)} Off | ${right(`0000:${right(String(index + 1), 2).replace(' ', '0')}:00.0 Off`, 22)} | ${right('Off', 20)} |`,
    `| 30%  ${right(String(34 + index), 3)}C    P8    ${right('24W /', 10)} ${right(`${watts}W`, 5)}     | ${right(`3MiB / ${ramMb}MiB`, 22)} | ${right('0%      Default', 20)} |`,
    split.replaceAll('|', '+').replace(/^\+/, '+'),
  ]);
  return [
    bar,
    `| NVIDIA-SMI ${left(driver, 22)} Driver Version: ${left(driver, 14)} CUDA Version: ${left(cuda, 8)} |`,
    split,
    `| GPU  ${left('Name', 34)} | ${left('Bus-Id          Disp.A', 22)} | ${left('Volatile Uncorr. ECC', 20)} |`,
    `| Fan  Temp   Perf  ${left('Pwr:Usage/Cap', 21)} | ${right('Memory-Usage', 22)} | ${right('GPU-Util  Compute M.', 20)} |`,
    split.replaceAll('-', '='),
    ...rows,
    '  (simulated: no GPU of this computer is used)',
  ];
}

/** `RTX 4090` is a GeForce to the driver; the professional cards carry their own names. */
function longName(name: string): string {
  return /^(RTX [2-5]0\d\d|GTX )/.test(name) ? `GeForce ${name}` : name;
}

function uuid(machineId: number, index: number): string {
  return `GPU-${String(machineId).padStart(8, '0')}-0000-0000-0000-${String(index).padStart(12, '0')}`;
}
