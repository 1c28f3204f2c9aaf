import { UserError } from '../../util/errors';
import { parseJson } from '../../util/json';
import { text, type Text } from '../../util/text';

/** A piece of an answer, as soon as it is whole. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: object }
  | { readonly kind: 'usage'; readonly promptTokens: number; readonly outputTokens: number };

/** The model gave no answer that can be used; the text is one sentence for the chat. */
export class ChatAnswerError extends UserError {
  constructor(sentence: Text) {
    super(sentence, { nextStep: 'retry' });
  }
}

const longestLineBytes = 4 * 1024 * 1024;
const longestAnswerBytes = 32 * 1024 * 1024;
const longestArguments = 1_000_000;
const mostCalls = 128;

interface Call {
  id: string;
  name: string;
  args: string;
}

/** Reads a stream of events. What it says is a stranger's: everything else than a plain answer throws `ChatAnswerError`. */
export class ChatAnswerReader {
  private readonly calls = new Map<number, Call>();
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private bytes = 0;
  private isFinished = false;
  private hasAnswer = false;
  private hasCalls = false;
  private hasThought = false;
  private isCut = false;
  /** The end of the text, in which a call that no parser took would begin. */
  private tail = '';
  private hasPlainCall = false;

  constructor(
    private readonly on: (part: AnswerPart) => void,
    private readonly hasTools: boolean,
  ) {}

  /** Returns true if an event came with it: a comment is no answer. */
  receive(piece: Buffer): boolean {
    this.bytes += piece.length;
    let hasEvent = false;
    let rest = piece;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      hasEvent = this.endLine() || hasEvent;
    }
    this.keep(rest);
    if (this.bytes > longestAnswerBytes) {
      throw endless();
    }
    return hasEvent;
  }

  /** Called once at the end of the stream. */
  end(): void {
    if (!this.isFinished) {
      throw new ChatAnswerError(
        text('The answer broke off: the connection to the model was lost. Ask again.'),
      );
    }
    this.endCalls();
    if (this.hasPlainCall && !this.hasCalls) {
      throw new ChatAnswerError(
        text(
          'The model wrote its tool call as text: the tool parser of its inference server does not fit. Serve it with another one.',
        ),
      );
    }
    if (!this.hasAnswer) {
      throw new ChatAnswerError(
        this.hasThought || this.isCut
          ? text('The model used all its tokens to think and gave no answer. Ask for less at once.')
          : text('The model gave an empty answer. Ask again.'),
      );
    }
  }

  private endCalls(): void {
    for (const call of this.calls.values()) {
      this.on({ kind: 'call', id: call.id, name: call.name, input: inputOf(call) });
      this.hasCalls = true;
      this.hasAnswer = true;
    }
    this.calls.clear();
  }

  private keep(part: Buffer): void {
    this.pending.push(part);
    this.pendingBytes += part.length;
    if (this.pendingBytes > longestLineBytes) {
      throw endless();
    }
  }

  private endLine(): boolean {
    const line = Buffer.concat(this.pending).toString('utf8');
    this.pending = [];
    this.pendingBytes = 0;
    const data = /^data:\s*(.*?)\s*$/.exec(line)?.[1];
    if (data === undefined || data === '') {
      return false;
    }
    if (data === '[DONE]') {
      this.isFinished = true;
    } else {
      this.event(objectIn(data));
    }
    return true;
  }

  private event(event: Json): void {
    const { error, usage, choices } = event;
    if (error !== undefined) {
      throw refused(error);
    }
    if (isObject(usage)) {
      this.usage(usage);
    }
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (!isObject(choice)) {
      if (choice !== undefined || !Array.isArray(choices)) {
        throw notAnAnswer();
      }
      return;
    }
    const { delta, finish_reason: finish } = choice;
    if (isObject(delta)) {
      this.delta(delta);
    }
    if (typeof finish === 'string') {
      this.isFinished = true;
      this.endCalls();
      this.isCut ||= finish === 'length';
    }
  }

  private delta({ content, reasoning, reasoning_content: older, tool_calls: calls }: Json): void {
    const thought = reasoning ?? older;
    if (typeof thought === 'string' && thought !== '') {
      this.hasThought = true;
      this.on({ kind: 'thinking', text: thought });
    }
    if (typeof content === 'string' && content !== '') {
      this.hasAnswer ||= content.trim() !== '';
      const end = this.tail + content;
      this.hasPlainCall ||= this.hasTools && /<tool_call>|<function=/.test(end);
      this.tail = end.slice(-12);
      this.on({ kind: 'text', text: content });
    } else if (content !== undefined && content !== null && content !== '') {
      throw notAnAnswer();
    }
    for (const part of Array.isArray(calls) ? calls : []) {
      this.call(part);
    }
  }

  private call(part: unknown): void {
    if (!isObject(part) || !isObject(part['function'])) {
      throw notAnAnswer();
    }
    const index = typeof part['index'] === 'number' ? part['index'] : 0;
    const known = this.calls.get(index) ?? { id: '', name: '', args: '' };
    const { name, arguments: args } = part['function'];
    known.id ||= typeof part['id'] === 'string' ? part['id'].slice(0, 200) : '';
    known.name ||= typeof name === 'string' ? name.slice(0, 200) : '';
    known.args += typeof args === 'string' ? args : '';
    this.calls.set(index, known);
    if (this.calls.size > mostCalls || known.args.length > longestArguments) {
      throw endless();
    }
  }

  private usage({ prompt_tokens: prompt, completion_tokens: output }: Json): void {
    const isCount = (value: unknown) => typeof value === 'number' && value >= 0 && value < 1e9;
    if (isCount(prompt) && isCount(output)) {
      this.on({ kind: 'usage', promptTokens: Number(prompt), outputTokens: Number(output) });
    }
  }
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectIn(data: string): Json {
  let value: unknown;
  try {
    value = parseJson(data);
  } catch {
    throw notAnAnswer();
  }
  if (!isObject(value)) {
    throw notAnAnswer();
  }
  return value;
}

/** The arguments of a call, which an editor passes on as they are. */
function inputOf({ name, args }: Call): object {
  try {
    const value = parseJson(args === '' ? '{}' : args);
    if (isObject(value) && name !== '') {
      return value;
    }
  } catch {
    // Not JSON: the same sentence.
  }
  throw new ChatAnswerError(
    text('The model called the tool {0} with arguments that are no JSON. Ask again.', name || '–'),
  );
}

/** What the gateway says in the place of an answer. */
export function refused(error: unknown): ChatAnswerError {
  const { code, message } = isObject(error) ? error : {};
  switch (code) {
    case 'context_length_exceeded':
      return new ChatAnswerError(
        text('The conversation is longer than the context of the model. Start a new chat, or attach less.'),
      );
    case 'model_unreachable':
      return new ChatAnswerError(
        text('The machine that serves the model does not answer. Ask again, or serve the model again.'),
      );
    case 'invalid_api_key':
      return new ChatAnswerError(text('The key of the model has changed. Ask again.'));
    default:
      return new ChatAnswerError(
        typeof message === 'string' && message.trim() !== ''
          ? text('The model gave no answer: {0}.', message)
          : text('The model gave no answer.'),
      );
  }
}

function notAnAnswer(): ChatAnswerError {
  return new ChatAnswerError(text('The model answered with something that is no answer. Ask again.'));
}

function endless(): ChatAnswerError {
  return new ChatAnswerError(text('The answer has no end, so it was stopped.'));
}
