import { commandLine, quoteForShell } from '../../ssh/commandLine';
import type { ShellKind } from '../../ssh/shellKind';
import { text, type Text } from '../../util/text';
import type { EngineId } from '../model/engines';

export interface HandOver {
  /** The options that ssh needs to find the alias, `-F` and a file; empty if ssh reads our file by default. */
  readonly sshOptions: readonly string[];
  /** Name of the group in the files. */
  readonly group: string;
  /** True if any machine of the set has several GPUs. */
  readonly hasSeveralGpus: boolean;
}

export interface EngineCommand {
  readonly id: string;
  readonly label: Text;
  /** A command line for the shell in the folder of the set. */
  readonly line: string;
}

/**
 * Returns the usual first commands of an engine, to be completed in a terminal (docs/engines.md#the-commands); none if it
 * needs another shell.
 */
export function engineCommands(
  engine: EngineId,
  handOver: HandOver,
  shell: ShellKind,
): readonly EngineCommand[] {
  if (shell === 'powershell') {
    return engine === 'hosts' ? hostsInPowerShell(handOver) : [];
  }
  switch (engine) {
    case 'ansible':
      return ansible(handOver);
    case 'parallel':
      return parallel(handOver);
    case 'clush':
      return clush(handOver);
    case 'hosts':
      return hosts(handOver);
  }
}

function ansible({ sshOptions, group }: HandOver): readonly EngineCommand[] {
  const config = sshOptions.length === 0 ? [] : ['--ssh-common-args', joined(sshOptions)];
  const call = (...more: readonly string[]) =>
    line('ansible', '-i', 'inventory.yml', ...config, group, ...more);
  return [
    { id: 'ping', label: text('Log In to Each'), line: call('-m', 'ping') },
    { id: 'run', label: text('Run a Command'), line: call('-m', 'raw', '-a', 'nvidia-smi -L') },
    {
      id: 'copy',
      label: text('Copy a File'),
      line: call('-m', 'copy', '-a', 'src=./train.py dest=/workspace/train.py'),
    },
  ];
}

/**
 * Reserves the first free GPU of the machine: `{%}` of GNU parallel counts over all hosts, so it is no GPU number.
 * The lock ends with the task.
 */
const onFreeGpu = [
  'i=0',
  'while exec 9>/tmp/gpu-rental-gpu-$i.lock',
  // Another code than that of a lock which is held: with its words, the task ends, instead of waiting for ever.
  'flock -n 9',
  'c=$?',
  'test $c -lt 2 || exit $c',
  'test $c = 1',
  'do i=$((i+1))',
  'test $i -lt $(nvidia-smi -L | wc -l) || { i=0',
  'sleep 1',
  '}',
  'done',
  'export CUDA_VISIBLE_DEVICES=$i',
].join('; ');

function parallel({ sshOptions, hasSeveralGpus }: HandOver): readonly EngineCommand[] {
  const config = sshOptions.length === 0 ? [] : ['--ssh', joined(['ssh', ...sshOptions])];
  const before = hasSeveralGpus ? `${onFreeGpu}; ` : '';
  const call = (...more: readonly string[]) =>
    line(
      'parallel',
      '--sshloginfile',
      'sshloginfile',
      ...config,
      '--retries',
      '3',
      '--sshdelay',
      '0.2',
      ...more,
    );
  return [
    {
      id: 'sweep',
      label: text('Run a Command for Each Line of arguments.txt'),
      // An unreachable machine fails immediately and would consume all tasks, so each task is tried on up to three
      // machines.
      line: call(
        '--joblog',
        'jobs.tsv',
        '--resume-failed',
        '--tag',
        `${before}cd /workspace && ./train.sh {}`,
        '::::',
        'arguments.txt',
      ),
    },
    {
      id: 'run',
      label: text('Run a Command on Each'),
      line: line(
        'parallel',
        '--nonall',
        '--tag',
        '--sshloginfile',
        'sshloginfile',
        ...config,
        'nvidia-smi -L',
      ),
    },
  ];
}

function clush({ sshOptions, group }: HandOver): readonly EngineCommand[] {
  const config = sshOptions.length === 0 ? [] : ['-o', joined(sshOptions)];
  const call = (...more: readonly string[]) =>
    `CLUSTERSHELL_CFGDIR="$PWD" ${line('clush', ...config, '-w', `@${group}`, ...more)}`;
  return [
    { id: 'run', label: text('Run a Command'), line: call('-b', 'nvidia-smi -L') },
    {
      id: 'copy',
      label: text('Copy a File'),
      line: call('--copy', './train.py', '--dest', '/workspace/'),
    },
  ];
}

function hosts({ sshOptions }: HandOver): readonly EngineCommand[] {
  const ssh = line('ssh', ...sshOptions, '-n', '{}', 'nvidia-smi -L');
  return [{ id: 'run', label: text('Run a Command'), line: `xargs -P 8 -I {} ${ssh} < hosts.txt` }];
}

function hostsInPowerShell({ sshOptions }: HandOver): readonly EngineCommand[] {
  const ssh = commandLine(['ssh', ...sshOptions, '-n'], 'win32');
  const each = `Get-Content hosts.txt | ForEach-Object { ${ssh} $_ 'nvidia-smi -L' }`;
  return [{ id: 'run', label: text('Run a Command'), line: each }];
}

function joined(words: readonly string[]): string {
  return words.map(quoteForShell).join(' ');
}

function line(...words: readonly string[]): string {
  return words.map((word) => (/^\{\}$|^::::$/.test(word) ? word : quoteForShell(word))).join(' ');
}
