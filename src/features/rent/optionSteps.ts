import { localize, t } from '../../editor/localize';
import { askText, pickFromList, type StepAnswer, type Row } from '../../editor/quickPick';
import { charactersText } from '../../model/rentals/rentFacts';
import type { RentFlow } from '../../model/rentals/rentFlow';
import {
  effectiveRuntype,
  mergedEnv,
  mostCopies,
  portShortage,
  type RentChoices,
} from '../../model/rentals/rentPlan';
import { envOption } from './envOption';
import { loginOption } from './loginOption';
import { onstartOption } from './onstartOption';
import type { StepDeps, StepResult } from './rentSteps';
import { volumeOption } from './volumeOption';

interface Option {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly detail?: string;
  readonly detailIcon?: string;
  /** Asks for the option; canceling changes nothing. */
  readonly ask: () => Promise<StepResult | undefined>;
}

type Toggled = 'useJupyterLab' | 'pythonUtf8' | 'langUtf8' | 'vm';

/** Options that most rentals leave at their defaults. Opened from the confirmation, to which it returns. */
export async function optionsStep(flow: RentFlow, deps: StepDeps): Promise<StepAnswer<StepResult>> {
  let activeId: string | undefined;
  for (;;) {
    const options = optionsFor(flow, deps);
    const answer = await pickFromList<Option>({
      title: t('Rent: More Options'),
      placeholder: t('Choose an option to change it. Back returns to the confirmation.'),
      canGoBack: true,
      rows: [
        { id: 'done', icon: 'check', label: t('Done'), value: doneOption },
        ...options.map((option): Row<Option> => ({
          id: option.id,
          label: option.label,
          description: option.value,
          ...(option.detail === undefined ? {} : { detail: option.detail }),
          detailIcon: option.detailIcon,
          value: option,
        })),
      ],
      activeId,
    });
    if (answer.kind === 'cancelled') {
      return answer;
    }
    if (answer.kind !== 'picked' || answer.value === doneOption) {
      return { kind: 'picked', value: {} };
    }
    activeId = answer.value.id;
    const result = await answer.value.ask();
    if (result?.unset) {
      flow.unset(...result.unset);
    }
    if (result?.set) {
      flow.set(result.set);
    }
  }
}

const doneOption: Option = { id: 'done', label: '', value: '', ask: () => Promise.resolve(undefined) };

function optionsFor(flow: RentFlow, deps: StepDeps): readonly Option[] {
  const { choices, offer } = flow;
  const env = mergedEnv(choices);
  const shortage = portShortage(offer, choices);
  const none = t('none');
  return [
    {
      id: 'env',
      label: t('Environment and ports'),
      value: env.length === 0 ? none : env.map(({ name }) => name).join(', '),
      ...(shortage
        ? {
            detailIcon: 'warning',
            detail: t('Open ports needed: {0}. This machine has {1}.', shortage.needed, shortage.has),
          }
        : {}),
      ask: () => envOption(flow, deps.secrets),
    },
    {
      id: 'onstart',
      label: t('On-start script'),
      value:
        choices.onstart === undefined
          ? (fromTemplate(choices, 'onstart') ?? none)
          : localize(charactersText(choices.onstart.length)),
      ask: () => onstartOption(flow),
    },
    ...(effectiveRuntype(choices) === 'args' ? [argsOption(flow)] : []),
    countOption(flow),
    targetOption(flow),
    {
      id: 'volume',
      label: t('Volume'),
      value: choices.volume?.mountPath ?? none,
      ask: () => volumeOption(flow, deps.volumes),
    },
    toggle(flow, 'useJupyterLab', t('JupyterLab instead of Jupyter Notebook')),
    jupyterDirOption(flow),
    {
      id: 'login',
      label: t('Registry login'),
      value: choices.imageLogin === undefined ? (fromTemplate(choices, 'login') ?? none) : t('set'),
      ask: () => loginOption(deps.secrets),
    },
    toggle(flow, 'vm', t('Virtual machine instead of a container')),
    toggle(flow, 'pythonUtf8', t('UTF-8 for Python (C.UTF-8)')),
    toggle(flow, 'langUtf8', t('UTF-8 for the system (C.UTF-8)')),
    waitOption(flow),
  ];
}

/** Returns "from the template" if the template sets the value. */
function fromTemplate(
  choices: RentChoices,
  what: 'onstart' | 'login' | 'args' | 'jupyterDir',
): string | undefined {
  if (choices.source.kind !== 'template') {
    return undefined;
  }
  const { template } = choices.source;
  const values = {
    onstart: template.onstart,
    login: template.dockerLoginRepo,
    args: template.argsStr,
    jupyterDir: template.jupyterDir ?? undefined,
  };
  const value = values[what];
  return value === undefined || value === '' ? undefined : t('from the template');
}

/** An option with the values yes, no, and the default of the template or the service. */
function toggle(flow: RentFlow, key: Toggled, label: string): Option {
  const value = flow.choices[key];
  const byDefault =
    flow.choices.source.kind === 'template' && key === 'useJupyterLab'
      ? t('As the Template Says')
      : t('default');
  return {
    id: key,
    label,
    value: value === undefined ? byDefault : value ? t('Yes') : t('No'),
    ask: async () => {
      const answer = await pickFromList<'yes' | 'no' | 'default'>({
        title: label,
        placeholder: label,
        canGoBack: true,
        rows: [
          { id: 'yes', label: t('Yes'), value: 'yes' },
          { id: 'no', label: t('No'), value: 'no' },
          { id: 'default', label: byDefault, value: 'default' },
        ],
        activeId: value === undefined ? 'default' : value ? 'yes' : 'no',
      });
      if (answer.kind !== 'picked') {
        return undefined;
      }
      return answer.value === 'default' ? { unset: [key] } : { set: { [key]: answer.value === 'yes' } };
    },
  };
}

function argsOption(flow: RentFlow): Option {
  return textOption(flow, 'args', {
    label: t('Arguments'),
    byDefault: t('none'),
    title: t('Rent: {0}', t('Arguments')),
    prompt: t(
      'Passed to the entry point of the image instead of its own command. Leave empty to use those of the image or template.',
    ),
    toChoice: (typed) => typed,
  });
}

function jupyterDirOption(flow: RentFlow): Option {
  return textOption(flow, 'jupyterDir', {
    label: t('Folder in which Jupyter starts'),
    byDefault: t('default'),
    title: t('Rent: {0}', t('Folder in which Jupyter starts')),
    prompt: t(
      'A folder on the machine, such as /workspace. Leave empty to use the one of the image or template.',
    ),
    problem: (typed) =>
      typed.trim() === '' || typed.trim().startsWith('/')
        ? undefined
        : t('Enter a full path, such as /workspace.'),
    toChoice: (typed) => typed.trim(),
  });
}

interface TextOption extends Pick<Parameters<typeof askText>[0], 'title' | 'prompt' | 'problem'> {
  readonly label: string;
  /** Shown if neither the user nor the template sets a value. */
  readonly byDefault: string;
  readonly toChoice: (typed: string) => string;
}

/** An option that the user types; an empty text resets it. */
function textOption(
  { choices }: RentFlow,
  id: 'args' | 'jupyterDir',
  { label, byDefault, toChoice, ...words }: TextOption,
): Option {
  return {
    id,
    label,
    value: choices[id] ?? fromTemplate(choices, id) ?? byDefault,
    ask: async () => {
      const answer = await askText({ ...words, value: choices[id] ?? '', canGoBack: true });
      if (answer.kind !== 'picked') {
        return undefined;
      }
      return answer.value.trim() === '' ? { unset: [id] } : { set: { [id]: toChoice(answer.value) } };
    },
  };
}

function countOption(flow: RentFlow): Option {
  const count = flow.choices.count ?? 1;
  return {
    id: 'count',
    label: t('How many'),
    value: String(count),
    ask: async () => {
      const numbers = Array.from({ length: mostCopies }, (_, index) => index + 1);
      const answer = await pickFromList<number>({
        title: t('Rent: {0}', t('How many')),
        placeholder: t('Each is a separate offer with the same GPU, at this price or less.'),
        canGoBack: true,
        rows: numbers.map((number) => ({ id: String(number), label: String(number), value: number })),
        activeId: String(count),
      });
      return answer.kind === 'picked' ? { set: { count: answer.value } } : undefined;
    },
  };
}

function targetOption(flow: RentFlow): Option {
  const stopped = flow.choices.targetState === 'stopped';
  return {
    id: 'target',
    label: t('Start'),
    value: stopped ? t('later, rented as stopped') : t('At Once'),
    ask: async () => {
      const answer = await pickFromList<'running' | 'stopped'>({
        title: t('Rent: {0}', t('Start')),
        placeholder: t('When should the machine start?'),
        canGoBack: true,
        rows: [
          { id: 'running', label: t('At Once'), value: 'running' },
          {
            id: 'stopped',
            label: t('Later'),
            detail: t('Rented as stopped: storage costs money, and another user may get the GPU.'),
            value: 'stopped',
          },
        ],
        activeId: stopped ? 'stopped' : 'running',
      });
      if (answer.kind !== 'picked') {
        return undefined;
      }
      return answer.value === 'stopped' ? { set: { targetState: 'stopped' } } : { unset: ['targetState'] };
    },
  };
}

function waitOption(flow: RentFlow): Option {
  const waits = flow.choices.cancelUnavailable === false;
  return {
    id: 'wait',
    label: t("If the machine can't start now"),
    value: waits ? t('Wait for It') : t('Do Not Rent'),
    ask: async () => {
      const answer = await pickFromList<boolean>({
        title: t('Rent: {0}', t("If the machine can't start now")),
        placeholder: t('What should happen then?'),
        canGoBack: true,
        rows: [
          { id: 'cancel', label: t('Do Not Rent'), value: false },
          {
            id: 'wait',
            label: t('Wait for It'),
            detail: t('Your instance stays stopped until the machine is free, and storage costs money.'),
            value: true,
          },
        ],
        activeId: waits ? 'wait' : 'cancel',
      });
      if (answer.kind !== 'picked') {
        return undefined;
      }
      return answer.value ? { set: { cancelUnavailable: false } } : { unset: ['cancelUnavailable'] };
    },
  };
}
