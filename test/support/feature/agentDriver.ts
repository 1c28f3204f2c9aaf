import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { toolOutputs, type ToolName } from '../../../src/agents/model/toolShapes';
import { FakeCancellationTokenSource } from '../fakeEditor/events';
import { FakeTextPart } from '../fakeEditor/values';
import type { FeatureWindow } from './window';

type Result = Readonly<Record<string, unknown>>;

/** Lets agents in, with the limits of the settings. */
export async function letAgentsIn(
  window: FeatureWindow,
  access: 'ask' | 'read' = 'ask',
): Promise<AgentDriver> {
  window.computer.settings.set('gpuRental.agents.access', access);
  await window.dialog('Let AI agents');
  // A key meant for the editor may press the button of a dialog that has just opened.
  await window.computer.pass(600);
  await window.dialogButton('Allow');
  await window.computer.rest();
  return new AgentDriver(window);
}

/** A model in the chat of a window: it calls our tools and reads what they return. */
export class AgentDriver {
  constructor(private readonly window: FeatureWindow) {}

  get tools(): readonly string[] {
    return [...this.window.screen.chatTools.keys()];
  }

  /** Rejects with the sentence that the model reads. As it is told there, a search that comes too soon is made again later. */
  async call(name: string, input: unknown = {}): Promise<Result> {
    try {
      return await this.callOnce(name, input);
    } catch (error) {
      const [, seconds] = /some searches a minute\. Call again in (\d+) seconds/.exec(String(error)) ?? [];
      if (seconds === undefined) {
        throw error;
      }
      await this.window.computer.pass(Number(seconds) * 1000);
      return this.callOnce(name, input);
    }
  }

  private async callOnce(name: string, input: unknown): Promise<Result> {
    const tool = this.window.screen.chatTools.get(`gpuRental_${name}`);
    assert.ok(tool, `${name} is not registered`);
    const { token } = new FakeCancellationTokenSource();
    const options = {
      input,
      toolInvocationToken: undefined,
    } as vscode.LanguageModelToolInvocationOptions<unknown>;
    const called = Promise.resolve(tool.invoke(options, token));
    let done = false;
    const end = called.then(
      () => (done = true),
      () => (done = true),
    );
    await this.window.computer.until(`an answer of ${name}`, () => done, { withinMs: 60_000 });
    await end;
    const result = await called;
    const [part] = result?.content ?? [];
    assert.ok(part instanceof FakeTextPart);
    assert.ok(
      Buffer.byteLength(part.value) <= 6144,
      `${name} returns ${Buffer.byteLength(part.value)} bytes`,
    );
    const answer = JSON.parse(part.value) as Result;
    // Clients over MCP refuse an answer with a field that its schema does not name.
    assert.deepEqual(toolOutputs[name as ToolName].parse(answer), answer);
    return answer;
  }

  /** A quote for the cheapest offer, within the limits. */
  async quote(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { offers } = (await this.call('search_offers', { maxPriceUsdPerHour: 0.9, gpuCount: 1 })) as {
      readonly offers: readonly { readonly offer: string }[];
    };
    const quote = await this.call('quote_rental', {
      offer: offers[0]?.offer,
      image: 'pytorch/pytorch:latest',
      diskGb: 16,
      hours: 2,
      then: 'destroy',
      ...more,
    });
    return String(quote['quote']);
  }
}
