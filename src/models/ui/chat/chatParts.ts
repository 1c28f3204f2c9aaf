import * as vscode from 'vscode';
import type { ChatMessage, ChatPart } from '../../model/chatMessages';

/** Classes that the oldest editor has as values, but not in its types. */
const newer = vscode as {
  readonly LanguageModelDataPart?: new (data: Uint8Array, mime: string) => DataPart;
  readonly LanguageModelThinkingPart?: new (text: string) => object;
};

interface DataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;
}

/** What other chats keep in messages for themselves. */
const bookkeeping = ['cache_control', 'stateful_marker', 'context_management', 'phase_data', 'usage'];

/** Of `LanguageModelChatMessageRole`, which editors without a chat lack. */
const roles: ReadonlyMap<number, ChatMessage['role']> = new Map([
  [1, 'user'],
  [2, 'assistant'],
]);

/** Reads a message of the chat. A third role, which the types lack, is that of the system. */
export function readMessage({ role, content }: vscode.LanguageModelChatRequestMessage): ChatMessage {
  return {
    role: roles.get(role) ?? 'system',
    parts: content.flatMap(readPart),
  };
}

/** Returns the characters of a text or a message. */
export function charactersOf(value: string | vscode.LanguageModelChatRequestMessage): number {
  if (typeof value === 'string') {
    return value.length;
  }
  return readMessage(value).parts.reduce(
    (sum, part) => sum + (part.kind === 'call' ? JSON.stringify(part.input).length : part.text.length),
    0,
  );
}

function readPart(part: unknown): readonly ChatPart[] {
  if (part instanceof vscode.LanguageModelTextPart) {
    return [{ kind: 'text', text: part.value }];
  }
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return [{ kind: 'call', id: part.callId, name: part.name, input: part.input }];
  }
  if (part instanceof vscode.LanguageModelToolResultPart) {
    return [{ kind: 'result', id: part.callId, text: part.content.map(textOf).join('') }];
  }
  const text = isData(part) && !bookkeeping.includes(part.mimeType) ? textOf(part) : '';
  return text === '' ? [] : [{ kind: 'text', text }];
}

function textOf(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) {
    return part.value;
  }
  if (part instanceof vscode.LanguageModelPromptTsxPart) {
    return JSON.stringify(part.value);
  }
  if (!isData(part)) {
    return '';
  }
  // The model is told what it lacks.
  return /^(?:text\/|application\/(?:[\w.-]+\+)?json)/.test(part.mimeType)
    ? Buffer.from(part.data).toString('utf8')
    : `(${part.mimeType} is left out)`;
}

function isData(part: unknown): part is DataPart {
  return newer.LanguageModelDataPart !== undefined && part instanceof newer.LanguageModelDataPart;
}

/** Returns how the editor shows the thoughts of a model; `undefined` where it can't. */
export function thinkingPart(text: string): vscode.LanguageModelResponsePart | undefined {
  const Part = newer.LanguageModelThinkingPart;
  return Part && asPart(new Part(text));
}

/** Returns what fills the meter of the context. */
export function usagePart(promptTokens: number, outputTokens: number) {
  const Part = newer.LanguageModelDataPart;
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
  };
  return Part && asPart(new Part(Buffer.from(JSON.stringify(usage)), 'usage'));
}

/** Editors accept more than their types say. */
function asPart(part: object): vscode.LanguageModelResponsePart {
  return part as vscode.LanguageModelResponsePart;
}
