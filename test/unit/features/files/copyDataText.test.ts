import assert from 'node:assert/strict';
import * as words from '../../../../src/features/files/copyDataText';
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
    assert.deepEqual(
      said(words.copyQuestion([{ ...source, bytes: undefined }], { to: [to], path: '/data' })),
      [
        'Copy /workspace of trainer to helper?',
        'Could not read the size of /workspace. Files of the same name in /data on helper are replaced. The traffic costs $0.030/GB.',
      ],
    );
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
        'Files of the same name in /data on helper are replaced. The service puts the credentials of the connection on the machine while it copies. The machine belongs to a stranger. The traffic costs $0.010/GB.',
      ],
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
