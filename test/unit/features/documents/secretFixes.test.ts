import assert from 'node:assert/strict';
import { RefusedError } from '../../../../src/api/errors';
import { applySecretFix } from '../../../../src/features/documents/secretFixes';
import { useSecret } from '../../../../src/features/documents/secretUse';
import { text } from '../../../../src/util/text';
import { FakeSecrets } from '../../../support/fakeWindows';
import { keptSecrets } from '../../../support/keptSecrets';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('A secret of a document', () => {
  /** A template of a file, and what is kept of its secrets. */
  function scene(fields: object | string) {
    const screen = openScreen();
    const { documents } = screen;
    const quick = new OnQuick(screen);
    const content = typeof fields === 'string' ? fields : JSON.stringify(fields, undefined, 2);
    const document = documents.keep('/work/a.gpu-template.json', content);
    const requests: string[] = [];
    const taken = new Set<string>();
    let checks = 0;
    let reads = 0;
    screen.commands.register('gpuRental.refreshAccount', () => {
      reads += 1;
    });
    const secrets = keptSecrets(new FakeSecrets());
    /** What the account has, without what the documents need not know. */
    const kept = async () => (await secrets.all('mine')).map(({ name, value }) => `${name}=${value}`);
    const client = {
      secrets: {
        list: () => Promise.resolve([...listed]),
        create: (name: string, value: string) => {
          requests.push(`create ${name}=${value}`);
          const error = new RefusedError({ text: text('It exists.'), code: 'existing_key' });
          return taken.has(name) ? Promise.reject(error) : Promise.resolve();
        },
        update: (name: string, value: string) => {
          requests.push(`update ${name}=${value}`);
          return Promise.resolve();
        },
      },
    };
    const listed: { name: string; value?: string }[] = [];
    const account = { key: 'mine', client };
    const deps = {
      accounts: { active: account },
      templates: {
        state: { kind: 'ready', value: [{ id: 5, name: 'Trainer' }] as object[] },
        refresh: () => {
          deps.templates.state.kind = 'ready';
          return Promise.resolve();
        },
      },
      keptSecrets: secrets,
      templateStores: { documents: { account: () => account, peek: () => undefined } },
      diagnostics: {
        all: () => {
          checks += 1;
        },
      },
    };
    const fix = (action: object) => applySecretFix(only(deps), { uri: document.uri.toString(), action });
    const read = () => JSON.parse(document.getText()) as Record<string, unknown>;
    const press = async (button: string) => {
      await quick.flush();
      screen.messages.shown.at(-1)?.press(button);
      await quick.flush();
    };
    return {
      ...{ deps, screen, quick, document, kept, secrets, requests, taken, listed, fix, read, press },
      counts: () => ({ checks, reads }),
    };
  }

  for (const [what, env] of [
    ['in an object', { TOKEN: 'hf_1' }],
    ['in flags', '-e TOKEN=hf_1'],
  ] as const) {
    it(`moves to the secret store, with a reference in its place: ${what}`, async () => {
      const { fix, read, kept, counts } = scene({ env });
      await fix({ kind: 'moveToSecrets', slot: 'env.TOKEN' });
      assert.match((await kept()).join(), /^\S+=hf_1$/);
      assert.doesNotMatch(JSON.stringify(read()), /hf_1/);
      assert.match(JSON.stringify(read()), /TOKEN/);
      assert.equal(counts().checks, 1);
    });
  }

  it('moves there as the password of a registry', async () => {
    const { fix, read, kept } = scene({ docker_login_pass: 'pass' });
    await fix({ kind: 'moveToSecrets', slot: 'docker_login_pass' });
    assert.match((await kept()).join(), /^\S+=pass$/);
    assert.notEqual(read()['docker_login_pass'], 'pass');
  });

  for (const [what, fields, slot] of [
    ['an empty one', { env: { TOKEN: '' } }, 'env.TOKEN'],
    ['none', { env: {} }, 'env.TOKEN'],
    ['a number', { env: { TOKEN: 7 } }, 'env.TOKEN'],
    ['a password that is no text', { docker_login_pass: 7 }, 'docker_login_pass'],
  ] as const) {
    it(`does not move: ${what}`, async () => {
      const { fix, kept, document } = scene(fields);
      const before = document.getText();
      await fix({ kind: 'moveToSecrets', slot });
      assert.deepEqual([await kept(), document.getText()], [[], before]);
    });
  }

  it('is not kept where its document can’t be changed', async () => {
    const twice = scene('{ "env": "-e TOKEN=a -e TOKEN=b" }');
    const refused = assert.rejects(
      twice.fix({ kind: 'changeSecret', slot: 'env.TOKEN' }),
      /can't be rewritten/,
    );
    await twice.quick.type('new');
    await twice.quick.enter();
    await refused;
    assert.deepEqual(await twice.kept(), []);
  });

  const reference = '${secret:hf}';

  it('is entered under the name of its reference, and under its own where the name is of another one', async () => {
    const one = scene({ name: 'a', image: 'i', env: { TOKEN: reference } });
    const entered = one.fix({ kind: 'enterSecret', reference: 'hf' });
    assert.equal(await one.quick.type(''), 'Enter a value.');
    await one.quick.type('hf_1');
    await one.quick.enter();
    await entered;
    assert.deepEqual([await one.kept(), one.counts().checks], [['hf=hf_1'], 1]);
    const two = scene({ name: 'a', image: 'i', env: { TOKEN: reference } });
    await two.secrets.add('mine', 'hf', 'of another', 'template:5');
    const asked = two.fix({ kind: 'enterSecret', reference: 'hf' });
    await two.quick.pick('New Secret…');
    await two.quick.type('hf_2');
    await two.quick.enter();
    await asked;
    assert.deepEqual(await two.kept(), ['hf=of another', 'hf-2=hf_2']);
    assert.match(two.document.getText(), /secret:hf-2\}/);
  });

  it('is one of the others only after a question with the document, and Enter alone gives none away', async () => {
    const one = scene({ name: 'a', image: 'i', env: { TOKEN: reference } });
    await one.secrets.add('mine', 'hf', 'of another', 'template:5');
    await one.secrets.add('mine', 'theirs', 'other', 'list');
    one.listed.push({ name: 'VARIABLE', value: 'v' }, { name: 'MASKED' }, { name: 'hf', value: 'v' });
    const given = one.fix({ kind: 'enterSecret', reference: 'hf' });
    const rows = ['hf template #5', 'theirs', 'VARIABLE kept by the service', 'New Secret…'];
    assert.deepEqual(await one.quick.rows(), rows);
    assert.equal(one.quick.title, 'Value of the Secret hf');
    assert.equal(one.quick.active, 'New Secret…');
    await one.quick.pick('theirs');
    await given;
    const uses = (name: string) =>
      one.secrets.all('mine').then((all) => all.find((secret) => secret.name === name)?.uses);
    assert.deepEqual(await uses('theirs'), ['list', 'file:file:///work/a.gpu-template.json']);
    assert.match(one.document.getText(), /secret:theirs\}/);
    const changed = one.fix({ kind: 'changeSecret', slot: 'env.TOKEN' });
    await one.quick.pick('VARIABLE');
    await changed;
    assert.deepEqual(await uses('VARIABLE'), ['file:file:///work/a.gpu-template.json']);
    assert.match(one.document.getText(), /secret:VARIABLE\}/);
  });

  it('is changed by a value that the user enters, and by none not', async () => {
    const { fix, quick, kept } = scene({ env: { TOKEN: 'old' } });
    const left = fix({ kind: 'changeSecret', slot: 'env.TOKEN' });
    await quick.flush();
    assert.equal(quick.title, 'Value of the Secret TOKEN');
    await quick.escape();
    await left;
    assert.deepEqual(await kept(), []);
    const changed = fix({ kind: 'changeSecret', slot: 'env.TOKEN' });
    await quick.type('new');
    await quick.enter();
    await changed;
    assert.match((await kept()).join(), /^\S+=new$/);
  });

  it('is no place that a link can name otherwise', async () => {
    const { fix } = scene({ env: {} });
    for (const slot of ['image', 'xenv.A', 7]) {
      await assert.rejects(fix({ kind: 'changeSecret', slot }));
    }
  });

  describe('that becomes a variable of the account', () => {
    const action = { kind: 'makeAccountSecret', name: 'TOKEN' };

    it('leaves the document once the account has it, and the account is read again', async () => {
      const { fix, press, screen, read, requests, counts } = scene({ env: { TOKEN: 'hf_1', OTHER: 'x' } });
      const made = fix(action);
      await press('Make It an Account Secret');
      await made;
      assert.match(textsOn(screen).join(), /Make TOKEN an environment variable of your account\?/);
      assert.deepEqual(requests, ['create TOKEN=hf_1']);
      assert.deepEqual([read(), counts().reads], [{ env: { OTHER: 'x' } }, 1]);
    });

    it('stays without a yes, and where the document has none', async () => {
      const { fix, press, read, requests } = scene({ env: { TOKEN: 'hf_1' } });
      await fix({ ...action, name: 'OTHER' });
      const made = fix(action);
      await press('Not Now');
      await made;
      assert.deepEqual([requests, read()], [[], { env: { TOKEN: 'hf_1' } }]);
    });

    for (const [button, isReplaced] of [
      ['Replace', true],
      ['Not Now', false],
    ] as const) {
      it(`asks before it replaces one that the account has: ${button}`, async () => {
        const { fix, press, screen, read, requests, taken } = scene({ env: { TOKEN: 'hf_1' } });
        taken.add('TOKEN');
        const made = fix(action);
        await press('Make It an Account Secret');
        await press(button);
        await made;
        assert.match(textsOn(screen).join(), /Replace the value of TOKEN\?/);
        assert.equal(requests.includes('update TOKEN=hf_1'), isReplaced);
        assert.deepEqual(read(), { env: isReplaced ? {} : { TOKEN: 'hf_1' } });
      });
    }
  });

  describe('of the account that a template uses', () => {
    it('is picked by name, and reports if there is none', async () => {
      const { deps, screen } = scene({ env: {} });
      await useSecret(only(deps), undefined);
      assert.deepEqual(textsOn(screen), ['info There are no secrets. []']);
    });

    for (const [what, env, button, isUsed] of [
      ['a template without it', {}, undefined, true],
      ['a template that sets it', { TOKEN: 'x' }, 'Replace', true],
      ['a template that keeps its own', { TOKEN: 'x' }, 'Not Now', false],
    ] as const) {
      it(`is put into the template in front: ${what}`, async () => {
        const one = scene({ env });
        const { deps, screen, quick, document, kept, listed, press } = one;
        listed.push({ name: 'OTHER', value: 'y' }, { name: 'TOKEN', value: 'hf_1' });
        await screen.documents.show(document);
        const used = useSecret(only(deps), undefined);
        await quick.pick('TOKEN');
        if (button) {
          await press(button);
        }
        await used;
        assert.deepEqual(
          (await kept()).map((line) => line.replace(/\S+=/, '')),
          isUsed ? ['hf_1'] : [],
        );
      });
    }

    it('asks for the template where none is in front, and for a value that the service does not give', async () => {
      const { deps, quick, read, kept, listed } = scene({ env: {} });
      listed.push({ name: 'TOKEN' });
      const used = useSecret(only(deps), { secretName: 'TOKEN' });
      await quick.flush();
      assert.equal(quick.title, 'Use in a Template: TOKEN');
      assert.deepEqual(await quick.rows(), ['a open', 'Trainer']);
      await quick.pick('a');
      await quick.type('hf_1');
      await quick.enter();
      await used;
      assert.match((await kept()).join(), /^\S+=hf_1$/);
      assert.match(JSON.stringify(read()), /TOKEN/);
    });

    for (const [what, change] of [
      ['is open', undefined],
      ['there is', []],
    ] as const) {
      it(`reports that no template ${what}`, async () => {
        const { deps, screen, quick, listed, document } = scene({ env: {} });
        screen.documents.close(document);
        listed.push({ name: 'TOKEN', value: 'x' });
        if (change) {
          deps.templates.state.value = [];
        }
        const used = useSecret(only(deps), { secretName: 'TOKEN' });
        if (change) {
          await used;
          assert.deepEqual(textsOn(screen), ['info There are no templates. []']);
          return;
        }
        assert.deepEqual(await quick.rows(), ['Trainer']);
        await quick.escape();
        await used;
        assert.deepEqual(textsOn(screen), []);
      });
    }

    it('reads the templates first if they are unknown', async () => {
      const { deps, quick, listed } = scene({ env: {} });
      listed.push({ name: 'TOKEN', value: 'x' });
      deps.templates.state.kind = 'idle';
      const used = useSecret(only(deps), { secretName: 'TOKEN' });
      assert.deepEqual(await quick.rows(), ['a open', 'Trainer']);
      await quick.escape();
      await used;
    });
  });
});
