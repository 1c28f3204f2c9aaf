import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';

type Json = Readonly<Record<string, unknown>>;

/** The extension in `test/ui/chatDriver`, which calls tools and commands inside a real editor. */
export class ChatDriver {
  constructor(private readonly address: string) {}

  /** What the participant reads that a prompt in the chat calls; rejects with the sentence that it reads instead. */
  async tool(name: string, input: Json): Promise<Json> {
    const { text: answer, error } = await this.send({ prompt: { tool: `gpuRental_${name}`, input } });
    if (error !== undefined) {
      throw new Error(typeof error === 'string' ? error : JSON.stringify(error));
    }
    assert.ok(typeof answer === 'string' && Buffer.byteLength(answer) <= 6144);
    return JSON.parse(answer) as Json;
  }

  /** What a model of the product answers in the chat, piece by piece. */
  async say(say: string): Promise<{ readonly model: unknown; readonly pieces: readonly string[] }> {
    const { model, pieces, error } = await this.send({ say });
    assert.ok(Array.isArray(pieces), JSON.stringify(error));
    return { model, pieces: pieces as readonly string[] };
  }

  async toolNames(): Promise<readonly string[]> {
    return (await this.send({}))['names'] as readonly string[];
  }

  /** Runs a command as another extension; its failure is returned. */
  command(command: string, ...args: readonly unknown[]): Promise<Json> {
    return this.send({ command, args });
  }

  /** Edits the settings of the user, as any extension can. */
  async set(setting: string, value: unknown): Promise<void> {
    assert.deepEqual(await this.send({ setting, value }), {});
  }

  private async send(what: Json): Promise<Json> {
    const socket = createConnection(this.address);
    socket.end(JSON.stringify(what));
    return JSON.parse(await text(socket)) as Json;
  }
}
