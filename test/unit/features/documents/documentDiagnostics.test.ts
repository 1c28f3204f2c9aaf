import assert from 'node:assert/strict';
import { DocumentDiagnostics } from '../../../../src/features/documents/documentDiagnostics';
import { WorkspaceParts } from '../../../../src/store/workspaceParts';
import { FakeClock, settle } from '../../../support/fakeClock';
import { openScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The marks of a document', () => {
  /** Looks for the names of stored secrets that the test answers one by one. */
  async function scene(content: object) {
    const screen = openScreen();
    const checks: { readonly answer: (names: string[]) => void; readonly fail: () => void }[] = [];
    const failed: string[] = [];
    const nothing = () => ({ dispose: () => undefined });
    const clock = new FakeClock();
    const names = () =>
      new Promise<ReadonlySet<string>>((resolve, reject) => {
        const answer = (found: string[]) => {
          resolve(new Set(found));
        };
        checks.push({
          answer,
          fail: () => {
            reject(new Error('locked'));
          },
        });
      });
    const deps = {
      accounts: { active: { key: 'account' }, onDidChange: nothing },
      templateStores: { documents: { peek: () => undefined, onDidNotice: nothing }, secrets: { names } },
      workspaceParts: new WorkspaceParts(),
      clock,
      log: { error: (line: string) => void failed.push(line) },
    };
    const failures = { onDidChange: nothing, get: () => undefined, clear: () => undefined };
    const document = screen.documents.keep(
      '/work/a.gpu-template.json',
      JSON.stringify(content, undefined, 2),
    );
    await screen.documents.show(document);
    const marks = new DocumentDiagnostics(only(deps), only(failures));
    await clock.advance(0);
    const codes = () => screen.languages.diagnosticsOf(document.uri).map(({ code }) => String(code));
    const check = (at: number) => {
      const asked = checks[at];
      assert.ok(asked, `look ${at} of ${checks.length}`);
      return asked;
    };
    return { marks, check, codes, clock, failed };
  }
  const registry = { docker_login_repo: 'r', docker_login_user: 'u', docker_login_pass: 'p' };
  const fields = { name: 'n', image: 'i:1', onstart: 'true', env: { A: '${secret:a}' }, ...registry };

  it('are those of the last check where an older one ends after it', async () => {
    const { marks, check, codes, clock } = await scene(fields);
    marks.all();
    await clock.advance(0);
    check(1).answer(['a']);
    await settle();
    assert.ok(!codes().includes('secretNotHere'));
    check(0).answer([]);
    await settle();
    assert.ok(!codes().includes('secretNotHere'));
  });

  it('follow the text where the secret store is locked', async () => {
    const { check, codes, failed } = await scene(fields);
    check(0).fail();
    await settle();
    assert.deepEqual(codes(), ['registryPasswordInClear']);
    assert.deepEqual(failed, ['The secrets of a document could not be looked up']);
  });
});
