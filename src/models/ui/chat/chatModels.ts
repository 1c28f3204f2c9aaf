import * as vscode from 'vscode';
import { localize, t } from '../../../editor/localize';
import { formatMoney } from '../../../model/money';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import { askGateway } from '../../machine/askGateway';
import type { AnswerPart } from '../../model/chatAnswer';
import { chatBody } from '../../model/chatMessages';
import { TokenCount } from '../../model/tokenCount';
import { contextOf, type ModelGateway } from '../../store/modelGateway';
import type { ServedModel, ServedModels } from '../../store/servedModels';
import { charactersOf, readMessage, thinkingPart, usagePart } from './chatParts';

export const chatVendor = 'gpu-rental';

/** Where the engine does not say its context. */
const unknownContext = 8192;
const longestAnswer = 8192;

type Information = vscode.LanguageModelChatInformation;
/** A provider group of an editor that is newer than the types. */
type Options = vscode.PrepareLanguageModelChatModelOptions & { readonly configuration?: unknown };

interface ChatModelsDeps {
  readonly gateway: Pick<ModelGateway, 'endpoint' | 'isOpen' | 'onDidChange'>;
  readonly models: Pick<ServedModels, 'all' | 'onDidChange'>;
}

/** The models that answer now, for the editor's chat. Nothing of one answer is kept here, since several run at once. */
export class ChatModels implements vscode.LanguageModelChatProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly listeners: readonly vscode.Disposable[];
  private readonly counts = new Map<string, TokenCount>();
  private shown = '';
  private hasGroup = false;
  readonly onDidChangeLanguageModelChatInformation = this.changed.event;

  constructor(private readonly deps: ChatModelsDeps) {
    const check = () => {
      const now = JSON.stringify(this.list());
      if (now !== this.shown) {
        this.shown = now;
        this.changed.fire();
      }
    };
    this.listeners = [deps.gateway.onDidChange(check), deps.models.onDidChange(check)].map(
      (listener) => new vscode.Disposable(() => listener.dispose()),
    );
    check();
  }

  /** Once the user has added a group, the editor shows its models, and those of no group besides. */
  provideLanguageModelChatInformation({ configuration }: Options): Information[] {
    if (configuration !== undefined && !this.hasGroup) {
      this.hasGroup = true;
      this.changed.fire();
    }
    return configuration === undefined && this.hasGroup ? [] : this.list();
  }

  async provideLanguageModelChatResponse(
    { id, maxOutputTokens }: Information,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    // A newer one of the same name may have ended while this one goes on.
    const named = this.deps.models.all.filter((one) => one.name === id);
    const model = named.find((one) => this.deps.gateway.isOpen(one)) ?? named[0];
    const endpoint = await this.deps.gateway.endpoint();
    if (!model || !endpoint) {
      throw new Error(t('The model {0} is not served any more. Choose another one.', id));
    }
    const tools = options.tools ?? [];
    const body = chatBody({
      model: id,
      messages: messages.map(readMessage),
      tools,
      mustCallTool: options.toolMode === vscode.LanguageModelChatToolMode.Required,
      options: options.modelOptions ?? {},
      maxTokens: maxOutputTokens,
    });
    const stop = new AbortController();
    const cancelled = token.onCancellationRequested(() => stop.abort());
    if (token.isCancellationRequested) {
      stop.abort();
    }
    const onPart = (part: AnswerPart) => {
      if (part.kind === 'usage') {
        this.countOf(id).note(body.length, part.promptTokens);
      }
      const shown = shownPart(part);
      if (shown) {
        progress.report(shown);
      }
    };
    try {
      const hasTools = tools.length > 0;
      await askGateway({ ...endpoint, body, hasTools, signal: stop.signal, onPart });
    } catch (error) {
      if (stop.signal.aborted) {
        throw new vscode.CancellationError();
      }
      // The chat shows the message alone.
      throw error instanceof UserError ? new Error(localize(this.reasonOf(model, error))) : error;
    } finally {
      cancelled.dispose();
    }
  }

  provideTokenCount(
    { id }: Information,
    value: string | vscode.LanguageModelChatRequestMessage,
  ): Promise<number> {
    return Promise.resolve(this.countOf(id).of(charactersOf(value)));
  }

  dispose(): void {
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
    this.changed.dispose();
  }

  /** Why a model gave no answer: where it is over by now, that. */
  private reasonOf({ id, name }: ServedModel, error: UserError) {
    const now = this.deps.models.all.find((one) => one.id === id);
    return now?.isOver === true
      ? text(
          'The model {0} is not served any more: {1}. Serve it again in the view "Instances".',
          name,
          now.state,
        )
      : error.text;
  }

  private list(): Information[] {
    const names = new Set<string>();
    return this.deps.models.all.flatMap((model) => {
      const isNew = !names.has(model.name);
      if (!isNew || !this.deps.gateway.isOpen(model)) {
        return [];
      }
      names.add(model.name);
      return [informationOf(model)];
    });
  }

  private countOf(name: string): TokenCount {
    const known = this.counts.get(name) ?? new TokenCount();
    this.counts.set(name, known);
    return known;
  }
}

function informationOf(model: ServedModel): Information {
  const context = contextOf(model) ?? unknownContext;
  // The editor shows the sum of both as the context.
  const maxOutputTokens = Math.max(1, Math.min(longestAnswer, Math.floor(context / 4)));
  const price = model.perHour === undefined ? undefined : t('{0}/h', formatMoney(model.perHour));
  const information: Information & { readonly isUserSelectable: true } = {
    id: model.name,
    name: model.name,
    family: model.repository,
    version: model.revision ?? '1',
    tooltip: t('{0} on a rented GPU, by GPU Rental', model.repository),
    ...(price === undefined ? {} : { detail: price }),
    maxInputTokens: Math.max(1, context - maxOutputTokens),
    maxOutputTokens,
    capabilities: { toolCalling: model.serving.hasTools ?? false, imageInput: false },
    // Some editors show only models that say so.
    isUserSelectable: true,
  };
  return information;
}

function shownPart(part: AnswerPart): vscode.LanguageModelResponsePart | undefined {
  switch (part.kind) {
    case 'text':
      return new vscode.LanguageModelTextPart(part.text);
    case 'thinking':
      return thinkingPart(part.text);
    case 'call':
      return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
    case 'usage':
      return usagePart(part.promptTokens, part.outputTokens);
  }
}
