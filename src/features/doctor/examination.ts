import type { Instance } from '../../model/instances/instance';
import { actionsFor, type InstanceFacts } from '../../model/instances/instanceState';
import type { Resolver } from '../../ssh/resolvers';
import type { SshService } from '../../ssh/service';
import { impersonal, type Person } from '../../util/impersonal';
import { text, type Text } from '../../util/text';
import { accountFindings, type AccountPorts } from './accountFindings';
import { configFindings } from './configFindings';
import type { DoctorFinding, Verdict } from './finding';
import { keyFindings } from './keyFindings';
import { machineFindings } from './machineFindings';
import { resolverFindings } from './resolverFindings';

export interface DoctorPorts extends AccountPorts {
  readonly ssh: SshService;
  readonly resolvers: readonly Resolver[];
  readonly configFileIsSet: boolean;
  readonly instances: readonly Instance[];
  facts(instanceId: number): InstanceFacts;
  /** The instance to log in to; `undefined` skips the login. */
  readonly instanceId: number | undefined;
  readonly noChoice?: Text | undefined;
}

/**
 * Runs all checks in the order of their dependencies. Changes nothing except the SSH entry of the instance. Rejects as
 * soon as the signal fires.
 */
export async function examine(
  ports: DoctorPorts,
  signal: AbortSignal,
  /** Gets the title of the next part, and what was found before it. */
  onPart: (title: Text, found: readonly DoctorFinding[]) => void = () => undefined,
): Promise<readonly DoctorFinding[]> {
  const parts: readonly (readonly [Text, () => Promise<readonly DoctorFinding[]>])[] = [
    [text('Checking your setup'), () => accountFindings(ports, signal)],
    [text('Checking your setup'), () => keyFindings(ports, signal)],
    [text('Checking your setup'), () => configFindings(ports, signal)],
    [text('Checking your setup'), () => Promise.resolve(resolverFindings(ports))],
    [text('Logging in…'), () => machineFindings(ports, signal)],
  ];
  const all: DoctorFinding[] = [];
  for (const [title, findIn] of parts) {
    onPart(title, [...all]);
    all.push(...(await findIn()));
  }
  return all;
}

/** Returns the instances that the user can choose for a login. */
export function connectable(ports: Pick<DoctorPorts, 'instances' | 'facts' | 'now'>): readonly Instance[] {
  return ports.instances.filter((one) => actionsFor(one, ports.facts(one.id), ports.now()).canConnect);
}

const marks: Record<Verdict, string> = {
  ok: '[ok]',
  note: '[note]',
  problem: '[problem]',
  skipped: '[not checked]',
};

/** Returns the findings as text to save or send, without the user's name; `say` translates and removes secrets. */
export function reportText(
  findings: readonly DoctorFinding[],
  localize: (value: Text | string) => string,
  person: Person,
): string {
  const lines = findings.map(
    ({ verdict, title, detail }) => `- ${marks[verdict]} ${localize(title)}: ${localize(detail)}`,
  );
  return `# GPU Rental: Doctor\n\n${impersonal(lines.join('\n'), person)}\n`;
}
