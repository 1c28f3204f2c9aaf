import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChatAnswer } from './chatAnswer';
import type { ChatRequest } from './chatRequest';
import type { EngineOptions } from './engineArguments';
import type { EngineCounters } from './engineCounters';
import type { EngineFault } from './engineScene';

interface StreamDeps {
  readonly options: EngineOptions;
  readonly counters: EngineCounters;
  /** Between two tokens. */
  readonly tokenMs: number;
  readonly fault: EngineFault | undefined;
  /** Of the interface without messages. */
  readonly isPlain: boolean;
}

type Delta = Readonly<Record<string, unknown>>;

/** Sends an answer as the engine would, at once or in pieces, and counts it. */
export class AnswerStream {
  constructor(private readonly deps: StreamDeps) {}

  async send(response: ServerResponse, request: ChatRequest, answer: ChatAnswer): Promise<void> {
    const { counters } = this.deps;
    counters.running += 1;
    counters.promptTokens += request.promptTokens;
    try {
      const isWhole = await (request.isStreamed
        ? this.sendPieces(response, request, answer)
        : this.sendWhole(response, request, answer));
      counters.finish(isWhole ? (answer.finish === 'length' ? 'length' : 'stop') : 'abort');
    } finally {
      counters.running -= 1;
    }
  }

  private async sendWhole(
    response: ServerResponse,
    request: ChatRequest,
    answer: ChatAnswer,
  ): Promise<boolean> {
    const { counters, tokenMs, isPlain } = this.deps;
    for (let token = 0; token < answer.tokens && !response.destroyed; token += 1) {
      counters.outputTokens += 1;
      await pause(tokenMs);
    }
    if (response.destroyed) {
      return false;
    }
    const content = answer.text.join('');
    const calls = answer.calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args.join('') },
    }));
    const message = {
      role: 'assistant',
      content: calls.length > 0 ? null : content,
      ...(answer.reasoning.length > 0 ? { [this.reasoningField]: answer.reasoning.join('') } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    const choice = { index: 0, finish_reason: answer.finish, ...(isPlain ? { text: content } : { message }) };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...this.head(request, ''),
        choices: [choice],
        usage: usageOf(request, answer.tokens),
      }),
    );
    return true;
  }

  private async sendPieces(
    response: ServerResponse,
    request: ChatRequest,
    answer: ChatAnswer,
  ): Promise<boolean> {
    const { counters, fault, isPlain, tokenMs } = this.deps;
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    const event = async (choices: readonly object[], more: object = {}) => {
      const data = JSON.stringify({ ...this.head(request, '.chunk'), choices, ...more });
      if (!response.write(`data: ${data}\n\n`) && !response.destroyed) {
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
    };
    const delta = (value: Delta, finish: string | null = null) => {
      const shown = isPlain ? { text: value['content'] ?? '' } : { delta: value };
      return event([{ index: 0, ...shown, finish_reason: finish }]);
    };
    if (!isPlain) {
      await delta({ role: 'assistant', content: null });
    }
    let sent = 0;
    for (const value of this.deltas(answer)) {
      if (fault === 'brokenOff' && sent === 3) {
        response.destroy();
      }
      if (response.destroyed) {
        return false;
      }
      if (fault === 'errorInStream' && sent === 3) {
        const error = { message: 'EngineCore encountered an issue.', type: 'InternalServerError', code: 500 };
        response.end(`data: ${JSON.stringify({ error })}\n\ndata: [DONE]\n\n`);
        return false;
      }
      await pause(tokenMs);
      await delta(value);
      sent += 1;
      counters.outputTokens += 1;
    }
    await delta({}, answer.finish);
    if (request.wantsUsage) {
      await event([], { usage: usageOf(request, answer.tokens) });
    }
    response.end('data: [DONE]\n\n');
    return !response.destroyed;
  }

  /** Tool calls come with id and name first, then with pieces of their arguments. */
  private *deltas({ reasoning, text, calls }: ChatAnswer): Generator<Delta> {
    for (const piece of reasoning) {
      yield { [this.reasoningField]: piece };
    }
    for (const piece of text) {
      yield { content: piece };
    }
    for (const [index, { id, name, args }] of calls.entries()) {
      yield { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
      for (const piece of args) {
        yield { tool_calls: [{ index, function: { arguments: piece } }] };
      }
    }
  }

  private get reasoningField(): string {
    return this.deps.options.engine === 'vllm' ? 'reasoning' : 'reasoning_content';
  }

  private head(request: ChatRequest, part: string) {
    const { options, isPlain } = this.deps;
    return {
      id: `chatcmpl-${request.promptTokens}`,
      object: isPlain ? 'text_completion' : `chat.completion${part}`,
      created: Math.floor(Date.now() / 1000),
      model: options.name,
    };
  }
}

function usageOf({ promptTokens }: ChatRequest, tokens: number) {
  return { prompt_tokens: promptTokens, completion_tokens: tokens, total_tokens: promptTokens + tokens };
}
