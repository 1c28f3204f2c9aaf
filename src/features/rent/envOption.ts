import { chooseSecret } from '../../editor/chooseSecret';
import { localize, t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { askText, pickFromList, type Row } from '../../editor/quickPick';
import { rentalUse } from '../../model/accounts/keptSecret';
import { formatEnvFlags, parseEnvFlags, parsePort } from '../../model/documents/envFlags';
import { envEntries, envFlagsToObject, type EnvObject } from '../../model/documents/envObject';
import { rentalEnvProblem } from '../../model/documents/rentalEnv';
import { charactersText } from '../../model/rentals/rentFacts';
import type { RentFlow } from '../../model/rentals/rentFlow';
import { mergedEnv } from '../../model/rentals/rentPlan';
import { plainLabel } from '../../util/plainLabel';
import type { Text } from '../../util/text';
import { storeProblem, type RentSecrets } from './loginOption';
import type { StepResult } from './rentSteps';

type Pick =
  { readonly kind: 'entry'; readonly name: string } | { readonly kind: 'variable' | 'port' | 'text' };

/** Sets environment and ports, one by one or as text. The template's stay unless the same name is set here. */
export async function envOption(flow: RentFlow, secrets: RentSecrets): Promise<StepResult | undefined> {
  for (;;) {
    const rows: Row<Pick>[] = [
      { id: 'variable', icon: 'add', label: t('Add a Variable…'), value: { kind: 'variable' } },
      { id: 'port', icon: 'add', label: t('Add a Port…'), value: { kind: 'port' } },
      { id: 'text', icon: 'edit', label: t('Edit as Text…'), value: { kind: 'text' } },
      ...mergedEnv(flow.choices).map(({ name, value, from }): Row<Pick> => ({
        id: `entry:${name}`,
        label: plainLabel(name),
        // Values may be secrets, so only their length is shown.
        description: name.startsWith('-') ? '' : localize(charactersText(value.length)),
        detail: originText(name, from),
        value: { kind: 'entry', name },
      })),
    ];
    const answer = await pickFromList<Pick>({
      title: t('Rent: {0}', t('Environment and ports')),
      placeholder: t('Choose what to set on the machine.'),
      canGoBack: true,
      rows,
    });
    if (answer.kind !== 'picked') {
      return undefined;
    }
    const env = await change(flow, secrets, answer.value);
    if (env) {
      flow.set({ env });
    }
  }
}

function originText(name: string, from: 'template' | 'here'): string {
  if (from === 'template') {
    return t('from the template');
  }
  return name.startsWith('-') ? t('set here; press Enter to remove') : t('set here');
}

async function change(flow: RentFlow, secrets: RentSecrets, pick: Pick): Promise<EnvObject | undefined> {
  const own = flow.choices.env ?? {};
  switch (pick.kind) {
    case 'variable':
      return addVariable(own, secrets);
    case 'port':
      return addPort(own);
    case 'text':
      return editText(own);
    case 'entry':
      return pick.name.startsWith('-') ? without(own, pick.name) : setValue(own, pick.name, secrets);
  }
}

/** Returns why the rental can't take an entry; otherwise it would be refused only after the last step. */
function problemWith(env: EnvObject): Text | undefined {
  return Object.entries(env).flatMap(([name, value]) => rentalEnvProblem(name, value) ?? [])[0];
}

function without(env: EnvObject, name: string): EnvObject {
  return Object.fromEntries(Object.entries(env).filter(([other]) => other !== name));
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

async function addVariable(env: EnvObject, secrets: RentSecrets): Promise<EnvObject | undefined> {
  const answer = await askText({
    title: t('Rent: {0}', t('Environment')),
    prompt: t('NAME=value, or NAME to choose a secret'),
    placeholder: 'HF_HOME=/workspace/hf',
    canGoBack: true,
    ignoreFocusOut: true,
    problem: (typed) => {
      const name = typed.split('=')[0]?.trim() ?? '';
      return namePattern.test(name)
        ? problemWith({ [name]: typed })
        : t('Enter a name of letters, digits and _, then = and the value.');
    },
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  const at = answer.value.indexOf('=');
  if (at < 0) {
    return setValue(env, answer.value.trim(), secrets);
  }
  return { ...env, [answer.value.slice(0, at).trim()]: answer.value.slice(at + 1) };
}

async function addPort(env: EnvObject): Promise<EnvObject | undefined> {
  const read = (typed: string) => {
    const ports = typed.trim();
    return parsePort(/^\d+$/.test(ports) ? `${ports}:${ports}` : ports);
  };
  const answer = await askText({
    title: t('Rent: {0}', t('Port')),
    prompt: t(
      'A port of the container, or host:container, with /udp if needed. Each port needs one open port.',
    ),
    placeholder: '8080',
    canGoBack: true,
    problem: (typed) =>
      read(typed) ? undefined : t('Enter a port from 1 to 65535, such as 8080 or 8081:8080/udp.'),
  });
  const port = answer.kind === 'picked' ? read(answer.value) : undefined;
  if (!port) {
    return undefined;
  }
  const protocol = port.protocol === 'udp' ? '/udp' : '';
  return { ...env, [`-p ${port.hostPort}:${port.containerPort}${protocol}`]: '1' };
}

/** Sets a variable to a secret of the account, or to what the user types. */
async function setValue(
  env: EnvObject,
  name: string,
  { accounts, keptSecrets, accountKey }: RentSecrets,
): Promise<EnvObject | undefined> {
  const chosen = await chooseSecret({ accounts, keptSecrets }, accountKey, {
    title: t('Rent: {0}', plainLabel(name)),
    purpose: t('The rented machine gets the value.'),
    use: rentalUse(name),
    wanted: name,
    plain: t('Enter a Value…'),
  }).catch((error: unknown) => {
    // What can't be kept can be typed for this rental.
    message('warning', localize(storeProblem(error)));
    return 'plain' as const;
  });
  if (chosen === 'plain') {
    return editValue(env, name);
  }
  const secret = chosen && (await keptSecrets.all(accountKey)).find((one) => one.name === chosen.name);
  const problem = secret && problemWith({ [name]: secret.value });
  if (problem) {
    await ask('warning', { message: localize(problem) });
  }
  return secret && !problem ? { ...env, [name]: secret.value } : undefined;
}

async function editValue(env: EnvObject, name: string): Promise<EnvObject | undefined> {
  const answer = await askText({
    title: t('Rent: {0}', plainLabel(name)),
    prompt: t('The value for this rental. Leave empty to not set the variable here.'),
    value: env[name] ?? '',
    password: true,
    canGoBack: true,
    ignoreFocusOut: true,
    problem: (typed) => problemWith({ [name]: typed }),
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  return answer.value === '' ? without(env, name) : { ...env, [name]: answer.value };
}

async function editText(env: EnvObject): Promise<EnvObject | undefined> {
  const answer = await askText({
    title: t('Rent: {0}', t('Environment and ports')),
    prompt: t('Docker flags: -e NAME=value -p host:container'),
    value: formatEnvFlags(envEntries(env).entries),
    canGoBack: true,
    ignoreFocusOut: true,
    problem: (typed) => {
      const [problem] = parseEnvFlags(typed).problems;
      if (problem) {
        return t('"{0}" can\'t be read. Write -e NAME=value or -p host:container.', problem.subject);
      }
      const read = envFlagsToObject(typed);
      return read ? problemWith(read) : t('A name is used twice or is not valid.');
    },
  });
  return answer.kind === 'picked' ? envFlagsToObject(answer.value) : undefined;
}
