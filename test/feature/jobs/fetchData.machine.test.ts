import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeUri } from '../../support/fakeEditor/values';
import { reachableInstance } from '../../support/feature/reachable';
import { newInstance, rentNow, reviewFirst } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('data of a workspace file', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let folder: string;
  const instances = () => window.view('instances');
  const sha256 = createHash('sha256').update('content').digest('hex');
  // Nothing answers there.
  const from = `https://127.0.0.1:9/x#sha256=${sha256}`;

  function write(recipe: Record<string, unknown>): void {
    const file = path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ image: 'a/b:1', maxPricePerHour: 20, folder, ...recipe }));
    const { documents } = window.screen;
    documents.close(documents.byUri(FakeUri.file(file)));
  }

  before(async () => {
    const id = await reachableInstance(computer(), 'trainer');
    folder = path.join(computer().root, 'instances', String(id), 'workspace');
    window = await computer().openSignedIn();
    await instances().row('trainer');
  });

  beforeEach(() => {
    window.clearToasts();
  });

  it('is not fetched where there is none, or where it can’t be as it is written', async () => {
    for (const [recipe, expected] of [
      [{}, /No workspace file names "data" for trainer/],
      [{ data: [{ from: 's3://bucket/x', to: 'x' }] }, /"data" for x can't be fetched: .*presigned https/],
      [{ data: [{ from, to: 'x', volume: 'data' }] }, /names the volume data, which "volumes" lacks/],
      [
        { data: [{ from, to: 'x', volume: 'data' }], volumes: [{ name: 'data', mount: '/no-data' }] },
        /No volume is mounted at \/no-data on trainer/,
      ],
      [{ data: [{ from: 'connection:bucket/x', to: 'x' }] }, /copied by the service, not by the machine/],
    ] as const) {
      write(recipe);
      await instances().menu('trainer', 'Fetch Data…');
      await window.toast(expected);
      window.clearToasts();
    }
  });

  it('is confirmed with its size and the free space, and runs as a job with its log and its exit code', async () => {
    write({ data: [{ from, to: 'data/x' }] });
    await instances().menu('trainer', 'Fetch Data…');
    await window.quick.title('Run fetch data: Confirm');
    await window.quick.row(/data\/x.*size not stated.*127\.0\.0\.1/);
    await window.quick.row(/^Free.* GB/);
    await computer().pass(1000);
    await window.quick.pick(/Run on trainer/);
    await computer().pass(1000);
    await window.toast(/^fetch data: failed with code 1/);
  });

  it('is offered once the instance of the workspace is ready', async () => {
    write({ data: [{ from, to: 'data/x' }], diskGb: 10 });
    window.run('Rent for This Workspace…');
    await window.quick.title('Search Offers for This Workspace');
    await newInstance(computer(), async () => {
      await reviewFirst(window, /×/);
      await rentNow(window);
    });
    await window.toastButton(/^The workspace file names data for .*24518/, 'Fetch Data…');
    await window.quick.title('Run fetch data: Confirm');
    window.quick.escape();
    window.clearToasts();
  });

  it('is not fetched again where its marker shows that it is there', async () => {
    mkdirSync(path.join(folder, 'data'), { recursive: true });
    writeFileSync(path.join(folder, 'data', 'x'), 'content');
    const marker = `source https://127.0.0.1:9/x\nrevision sha256:${sha256}\nbytes 4096\ncomplete\n`;
    writeFileSync(path.join(folder, 'data', 'x.gpu-rental'), marker);
    await instances().menu('trainer', 'Fetch Data…');
    await window.toast('The data is already on trainer.');
    assert.equal(window.quick.isOpen, false);
  });
});
