import assert from 'node:assert/strict';
import { text } from '../../../../../src/util/text';
import { served, textIn, useChat } from '../../../../support/chatScene';
import { useEngines } from '../../../../support/engineStandIn';

describe('the models in the chat', () => {
  const engines = useEngines();
  const chatWith = useChat();
  const chat = async (args: readonly string[] = []) => {
    const engine = await engines.ready({ args });
    return { engine, ...(await chatWith(engine)) };
  };

  it('are those that answer now, with their context, and selectable in every editor', async () => {
    const { all, changed, models } = await chat();
    const [information] = models.provideLanguageModelChatInformation({ silent: true });
    assert.ok(information);
    assert.equal(information.maxInputTokens + information.maxOutputTokens, 32_768);
    assert.deepEqual(information.capabilities, { toolCalling: true, imageInput: false });
    assert.equal('isUserSelectable' in information && information.isUserSelectable, true);
    let changes = 0;
    models.onDidChangeLanguageModelChatInformation(() => (changes += 1));
    changed.fire();
    all.splice(0, 1, { ...served, isOver: true });
    changed.fire();
    assert.equal(changes, 1);
    assert.deepEqual(models.provideLanguageModelChatInformation({ silent: true }), []);
  });

  it('are shown once where the user has added a group of them', async () => {
    const { models } = await chat();
    const grouped = { silent: true, configuration: {} };
    assert.equal(models.provideLanguageModelChatInformation(grouped).length, 1);
    assert.equal(models.provideLanguageModelChatInformation({ silent: true }).length, 0);
  });

  it('answer with text, thoughts, and the use of tokens', async () => {
    const { ask } = await chat(['--reasoning-parser', 'qwen3']);
    const parts = await ask('Hello');
    assert.match(textIn(parts), /^I am a stand-in for qwen/);
    const names = new Set(parts.map((part) => (part as object).constructor.name));
    assert.deepEqual([...names], ['FakeThinkingPart', 'FakeTextPart', 'FakeDataPart']);
  });

  it('report in one sentence why there is no answer, and that a model has ended', async () => {
    const { all, ask, engine } = await chat();
    engine.play({ fault: 'html' });
    await assert.rejects(ask('Hello'), /^Error: The model gave no answer/);
    // A newer one that has ended does not speak for it.
    all.unshift({ ...served, id: 'job2', isOver: true, state: text('stopped') });
    await assert.rejects(ask('Hello'), /^Error: The model gave no answer/);
    all.shift();
    const asked = ask('Hello');
    all.splice(0, 1, { ...served, isOver: true, state: text('its machine is gone') });
    await assert.rejects(asked, /The model qwen is not served any more: its machine is gone\./);
  });
});
