import assert from 'node:assert/strict';
import * as words from '../../../../src/features/files/copyDataText';
import type { CopySize } from '../../../../src/model/instances/dataCopy';
import { fromDollars } from '../../../../src/model/money';
import { anInstance } from '../../../support/builders';

describe('The question before data is copied', () => {
  const from = anInstance({ id: 7, label: 'trainer', inetUpPerGb: fromDollars(0.02) });
  const to = anInstance({ id: 8, label: 'helper', inetDownPerGb: fromDollars(0.01) });
  const source = { from, path: '/workspace', bytes: 30_000_000_000 };
  const connection = { id: 3, name: 'bucket' };
  const said = ({ message, detail }: { readonly message: string; readonly detail?: string | undefined }) => [
    message,
    detail,
  ];

  it('shows what is replaced and what the traffic costs at both ends', () => {
    assert.deepEqual(said(words.copyQuestion([source], { to: [to], path: '/data' })), [
      'Copy /workspace of trainer to helper?',
      '/workspace holds 30 GB. Files of the same name in /data on helper are replaced. The traffic costs at most $0.900.',
    ]);
    assert.deepEqual(said(words.copyQuestion([{ from, path: '/workspace' }], { to: [to], path: '/data' })), [
      'Copy /workspace of trainer to helper?',
      'Could not read the size of /workspace. Files of the same name in /data on helper are replaced. The traffic costs $0.030/GB.',
    ]);
  });

  it('warns for a cloud connection who sees its credentials', () => {
    assert.deepEqual(said(words.cloudQuestion(source, { connection, path: '/b' })), [
      'Copy /workspace of trainer to bucket?',
      '/workspace holds 30 GB. Files of the same name in /b are replaced. The service puts the credentials of the connection on the machine while it copies. The machine belongs to a stranger. The traffic costs at most $0.600.',
    ]);
    assert.deepEqual(
      said(words.fromCloudQuestion({ connection: { id: 3 }, path: '/b' }, { to, path: '/data' })),
      [
        'Copy /b of Connection #3 to helper?',
        'Could not read the size of /b. Files of the same name in /data on helper are replaced. The service puts the credentials of the connection on the machine while it copies. The machine belongs to a stranger. The traffic costs $0.010/GB.',
      ],
    );
  });

  it('quotes a size without a unit, and counts only what a size with a unit costs', () => {
    const place = { connection, path: '/b' };
    const detail = (size: CopySize) =>
      words.fromCloudQuestion({ ...place, ...size }, { to, path: '/data' }).detail ?? '';
    assert.match(
      detail({ words: '12345' }),
      /^The service states the size of \/b as "12345"\. .*\$0\.010\/GB\.$/,
    );
    assert.match(detail({ bytes: 2_000_000_000 }), /^\/b holds 2\.0 GB\. .*at most \$0\.020\.$/);
  });

  it('shows that traffic on one machine is free, and that none is stated for a volume elsewhere', () => {
    const volume = { name: 'ckpt', path: '/', machineId: 5, perGb: [undefined] };
    const own = { name: 'trainer', path: '/workspace/x', machineId: 5, perGb: [fromDollars(0.02)] };
    const cloud = { name: 'bucket', path: '/b', perGb: [], isCloud: true as const };
    const detail = (...[one, other]: readonly [words.CopySide, words.CopySide]) =>
      words.volumeQuestion(one, other, {}).detail ?? '';
    assert.match(detail(volume, own), /Both are on one machine, so the traffic is free\.$/);
    assert.match(detail({ ...volume, machineId: 6 }, own), /does not state what the traffic costs\.$/);
    assert.match(
      detail(volume, cloud),
      /credentials of the connection .* does not state what the traffic costs\.$/,
    );
  });

  it('states no cost where a price is missing', () => {
    const free = anInstance({ id: 7, label: 'trainer' });
    for (const { detail = '' } of [
      words.copyQuestion([{ ...source, from: free }], { to: [to], path: '/data' }),
      words.copyQuestion([source], { to: [free], path: '/data' }),
      words.cloudQuestion({ ...source, from: free }, { connection, path: '/b' }),
      words.fromCloudQuestion({ connection, path: '/b' }, { to: free, path: '/data' }),
    ]) {
      assert.match(detail, /does not state what the traffic costs\.$/);
    }
  });
});
