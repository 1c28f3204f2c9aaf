import * as vscode from 'vscode';
import type { JobRowTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { showTerminal } from '../../editor/ownTerminal';
import { pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text, type Text } from '../../util/text';
import { clientNames, clientSettings, type ClientName, type ModelEndpoint } from '../model/clientSettings';
import type { Services } from '../services';
import { contextOf, answersNow } from '../store/modelGateway';
import type { ServedModel } from '../store/servedModels';

export type EndpointDeps = Pick<Services, 'modelGateway' | 'servedModels'>;

class NoGatewayError extends UserError {
  constructor() {
    super(text('The address of models is not open on this computer yet. Try again in a moment.'), {
      nextStep: 'showLog',
    });
  }
}

const clients: Readonly<Record<ClientName, { readonly label: Text; readonly next: Text }>> = {
  cline: {
    label: text('Copy Settings for Cline'),
    next: text('Copied. Enter the values in the settings of Cline, and the key with "Copy Key".'),
  },
  kiloCode: {
    label: text('Copy Settings for Kilo Code'),
    next: text(
      'Copied. Enter the values under Custom Provider in the settings of Kilo Code, and the key with "Copy Key".',
    ),
  },
  zed: {
    label: text('Copy Settings for Zed'),
    next: text('Copied. Add it to the settings.json of Zed, and enter the key in its agent settings.'),
  },
  customEndpoint: {
    label: text('Copy Custom Endpoint of VS Code'),
    next: text('Copied. Run "Chat: Manage Language Models", add a Custom Endpoint and enter the key there.'),
  },
  curl: {
    label: text('Copy curl Command'),
    next: text('Copied. Run it in a terminal with the key, see "Open Terminal with Address and Key".'),
  },
};

/** Returns the model of a command; without one, the only one that answers, or the one that the user picks. */
export async function readyModel(
  { servedModels }: Pick<EndpointDeps, 'servedModels'>,
  target: JobRowTarget | undefined,
  title: string,
): Promise<ServedModel | undefined> {
  const ready = servedModels.all.filter(answersNow);
  const wanted = target && ready.filter(({ id }) => id === target.jobId);
  const [first, ...others] = wanted ?? ready;
  if (!first) {
    message('info', t('This needs a model that is ready. Serve one, or wait until it answers.'));
    return undefined;
  }
  if (others.length === 0) {
    return first;
  }
  const rows = ready.map((model) => ({ label: model.name, description: model.repository, model }));
  return (await pickOne(rows, { title, placeHolder: t('Which model?') }))?.model;
}

/** Copies the address of a model on this computer, its key, or what a client needs. */
export async function copyEndpoint(deps: EndpointDeps, target: JobRowTarget | undefined): Promise<void> {
  const title = titleOf('gpuRental.model.copyEndpoint');
  const model = await readyModel(deps, target, title);
  if (!model) {
    return;
  }
  const { port, key } = await openEndpoint(deps);
  const endpoint: ModelEndpoint = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    model: model.name,
    contextTokens: contextOf(model),
    hasTools: model.serving.hasTools ?? false,
  };
  const rows = [
    {
      label: t('Copy Base URL'),
      description: endpoint.baseUrl,
      run: () => copy(endpoint.baseUrl),
    },
    { label: t('Copy Model Name'), description: model.name, run: () => copy(model.name) },
    { label: t('Copy Key'), run: () => copyKey(key) },
    {
      label: t('Open Terminal with Address and Key'),
      description: 'OPENAI_BASE_URL, OPENAI_API_KEY',
      run: () => openTerminal(model.name, endpoint.baseUrl, key),
    },
    ...clientNames.map((client) => ({
      label: localize(clients[client].label),
      run: async () => {
        await copy(clientSettings(client, endpoint));
        message('info', localize(clients[client].next));
      },
    })),
    { label: t('Replace Key'), run: () => replaceKey(deps) },
  ];
  await (await pickOne(rows, { title, placeHolder: endpoint.baseUrl }))?.run();
}

async function openEndpoint({ modelGateway }: Pick<EndpointDeps, 'modelGateway'>) {
  const endpoint = await modelGateway.endpoint();
  if (!endpoint) {
    throw new NoGatewayError();
  }
  return endpoint;
}

async function copy(value: string): Promise<void> {
  await vscode.env.clipboard.writeText(value);
  vscode.window.setStatusBarMessage(t('Copied'), 4_000);
}

async function copyKey(key: string): Promise<void> {
  const isWanted = await confirm({
    message: t('Copy the key of your models?'),
    detail: t('Programs on this computer that have it can use every model that you serve.'),
    button: t('Copy Key'),
  });
  if (isWanted) {
    await copy(key);
  }
}

/** The editor would keep the variables of a lasting terminal on disk. */
function openTerminal(name: string, baseUrl: string, key: string): void {
  const env = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key };
  showTerminal({ name: plainLabel(name), env, isTransient: true });
}

async function replaceKey({ modelGateway }: Pick<EndpointDeps, 'modelGateway'>): Promise<void> {
  const isWanted = await confirm({
    message: t('Replace the key of your models?'),
    detail: t('Programs with the old key get no answer until they have the new one.'),
    button: t('Replace Key'),
  });
  if (isWanted) {
    await modelGateway.renewKey();
    message('info', t('The key was replaced.'), {
      label: t('Copy Key'),
      run: async () => copyKey((await openEndpoint({ modelGateway })).key),
    });
  }
}
