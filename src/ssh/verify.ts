import { unescaped } from './effectiveConfig';
import type { FileSystem } from './fileSystem';
import type { HostEntry } from './hostConfig';
import { crowdingLine, inherited, inheritedLines, printedLines } from './inherited';
import { forwardSlashes } from './paths';
import type { RunResult } from './run';

/** A setting for which the user's SSH config overrides our value. */
export interface Override {
  /** In lower case, as `ssh -G` prints it. */
  readonly option: string;
  /** Empty for an option that our lines can't cancel, and which sends something of this computer to the machine. */
  readonly wanted: string;
  readonly found: string;
  /** The line has so many keys offered before the one of the entry that the machine ends the login. */
  readonly isCrowding?: boolean;
  /** Where the other value is set; `undefined` if ssh does not report it. */
  readonly place: { readonly file: string; readonly line: number; readonly text: string } | undefined;
}

export type Verification =
  | { readonly kind: 'equal' }
  | { readonly kind: 'overridden'; readonly overrides: readonly Override[] }
  /** None of our lines reaches ssh: the Include is inside a block for other hosts, or missing. */
  | { readonly kind: 'notIncluded' }
  /** ssh rejects the whole config and gives the reason. */
  | { readonly kind: 'broken'; readonly message: string };

export interface VerifyDeps {
  readonly fs: FileSystem;
  /** Returns the output of `ssh -G` for an alias, with its trace. */
  readonly ask: (alias: string, signal?: AbortSignal) => Promise<RunResult>;
  readonly knownHosts: string;
}

/**
 * Asks the ssh program that will connect how it resolves the alias, and compares that with our intention. The user's
 * own options that we do not set (a jump host, for example) don't count as differences.
 */
export async function verifyHost(
  deps: VerifyDeps,
  entry: HostEntry,
  signal?: AbortSignal,
): Promise<Verification> {
  const result = await deps.ask(entry.alias, signal);
  const lines = printedLines(result.stdout);
  if (result.code !== 0 || lines.length < 5) {
    return { kind: 'broken', message: lastMessage(result.stderr) };
  }
  const effective = (name: string) => lines.find(({ option }) => option === name)?.value ?? '';
  const differing = expectations(entry, deps.knownHosts).filter(
    ({ option, accepted }) => !accepted.includes(effective(option)),
  );
  const given = inheritedLines(lines, 'givesAway');
  const crowding = crowdingLine(lines, entry);
  if (differing.length === 0 && given.length === 0 && !crowding) {
    return { kind: 'equal' };
  }
  if (effective('hostkeyalias') !== entry.alias && effective('hostname') === entry.alias) {
    return { kind: 'notIncluded' };
  }
  const sections = parseTrace(result.stderr);
  const overrides: Override[] = [];
  for (const { option, accepted } of differing) {
    const place = await findLine(deps.fs, sections, option, `${entry.alias}.conf`);
    overrides.push({ option, wanted: accepted[0] ?? '', found: effective(option), place });
  }
  for (const { option, found } of given) {
    // A forward is printed in another form than written, from its second word on.
    const [value = found] = option === 'remoteforward' ? found.split(' ') : [found];
    const place = await findLine(deps.fs, sections, option, `${entry.alias}.conf`, value);
    overrides.push({ option, wanted: '', found, place });
  }
  if (crowding) {
    const { option, found } = crowding;
    const place = await findLine(deps.fs, sections, option, `${entry.alias}.conf`);
    overrides.push({ option, wanted: entry.identityFile ?? '', found, isCrowding: true, place });
  }
  return { kind: 'overridden', overrides };
}

function expectations(
  entry: HostEntry,
  knownHosts: string,
): readonly { readonly option: string; readonly accepted: readonly string[] }[] {
  const one = (option: string, ...accepted: string[]) => ({ option, accepted });
  return [
    // ssh prints a name in lower case.
    one('hostname', entry.endpoint.host, entry.endpoint.host.toLowerCase()),
    one('port', String(entry.endpoint.port)),
    one('user', 'root'),
    one('pubkeyauthentication', 'yes', 'true', 'unbound', 'host-bound'),
    // A window runs a command of its own, which ssh refuses beside another one. Not printed where there is none.
    one('remotecommand', 'none', ''),
    one('hostkeyalias', entry.alias),
    one('userknownhostsfile', asPrinted(knownHosts)),
    // `yes` is printed as `true`; neither accepts a host key without a question.
    one('stricthostkeychecking', 'ask', 'true', 'yes'),
    one('checkhostip', 'no'),
    one('tunnel', 'no', 'false', ''),
    // Older versions don't print them.
    one('sessiontype', 'default', ''),
    one('stdinnull', 'no', ''),
    one('forwardagent', entry.forwardAgent ? 'yes' : 'no'),
    ...(entry.identityFile === undefined
      ? []
      : [
          // Printed as written, whereas other paths are printed as used.
          one('identityfile', asPrinted(entry.identityFile), asPrinted(entry.identityFile, '%%')),
          one('identitiesonly', 'yes'),
        ]),
  ];
}

/** Returns what the config gives the machine of this computer. */
export function givenAway(verification: Verification | undefined): readonly Override[] {
  const overrides = verification?.kind === 'overridden' ? verification.overrides : [];
  return overrides.filter(({ wanted }) => wanted === '');
}

/** Windows paths are written, and therefore printed, with forward slashes. */
function asPrinted(file: string, percent = '%'): string {
  return forwardSlashes(file).replaceAll('%', percent);
}

/** A block of a config file that applies to the host, in the order in which ssh read them. */
interface Section {
  readonly file: string;
  /** Line of its `Host` or `Match`; 0 for the lines before the first. */
  readonly line: number;
}

/** Parses the debug output of `ssh -vvv -G` (OpenSSH 7.3 and later print files and lines). */
function parseTrace(trace: string): readonly Section[] {
  const sections: Section[] = [];
  let match: Section | undefined;
  for (const line of trace.split(/\r?\n/)) {
    const reading = /^debug1: Reading configuration data (.+)$/.exec(line);
    const applying = /^debug1: (.+) line (\d+): Applying options for /.exec(line);
    const matching = /^debug3: (.+) line (\d+): (?:not )?matched '/.exec(line);
    if (reading) {
      sections.push({ file: unescaped(reading[1] ?? ''), line: 0 });
    } else if (applying) {
      sections.push({ file: unescaped(applying[1] ?? ''), line: Number(applying[2]) });
    } else if (matching) {
      match = { file: unescaped(matching[1] ?? ''), line: Number(matching[2]) };
    } else if (/^debug2: match found/.test(line) && match) {
      sections.push(match);
    }
  }
  return sections;
}

/** Before OpenSSH 7.6, `RemoteCommand` in our entry would be an error that ends each ssh of the user. */
const isNotOurs = (option: string) => option in inherited || option === 'remotecommand';

/** Finds the first line, in reading order, that sets the option outside our own file. */
async function findLine(
  fs: FileSystem,
  sections: readonly Section[],
  option: string,
  ownFile: string,
  /** The value to find, for options whose lines accumulate. */
  value = '',
): Promise<Override['place']> {
  for (const section of sections) {
    if (section.file.endsWith(ownFile)) {
      // ssh uses the first value it meets; lines after ours can't override it.
      if (!isNotOurs(option)) {
        return undefined;
      }
      continue;
    }
    const lines = await readLines(fs, section.file);
    for (let index = section.line; index < lines.length; index += 1) {
      const text = lines[index]?.trim() ?? '';
      const keyword = /^["']?([A-Za-z]+)["']?(?:\s|=)/.exec(text)?.[1]?.toLowerCase();
      if (keyword === 'host' || keyword === 'match') {
        break;
      }
      if (keyword === option && text.includes(value)) {
        return { file: section.file, line: index + 1, text };
      }
    }
  }
  return undefined;
}

async function readLines(fs: FileSystem, file: string): Promise<readonly string[]> {
  try {
    return (await fs.read(file)).toString('utf8').split(/\r?\n/);
  } catch {
    // ssh could read the file and we can't, so the difference is reported without its place.
    return [];
  }
}

function lastMessage(stderr: string): string {
  const lines = stderr.split(/\r?\n/).filter((line) => line !== '' && !/^debug\d: |^OpenSSH_/.test(line));
  return unescaped(lines.slice(-2).join(' '));
}
