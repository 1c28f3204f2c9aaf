import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { hourlyRate, noRate } from '../../../../src/model/quote';
import { confirmation, type ConfirmationInput } from '../../../../src/model/rentals/confirmation';
import { machineName } from '../../../../src/model/rentals/rentFacts';
import type { Template } from '../../../../src/model/templates/template';
import { formatText } from '../../../../src/util/text';
import { marketOffer } from '../../../support/marketOffer';

function anInput(changes: Partial<ConfirmationInput> = {}): ConfirmationInput {
  return {
    offer: marketOffer(),
    choices: { source: { kind: 'image', image: 'ubuntu' } },
    rentalType: 'on-demand',
    searchedDiskGb: 20,
    running: noRate,
    ...changes,
  };
}

function shown(input: ConfirmationInput): Readonly<Record<string, string>> {
  const { what, cost } = confirmation(input);
  return Object.fromEntries([...what, ...cost].map(({ id, value }) => [id, formatText(value)]));
}

function warned(changes: Partial<ConfirmationInput>): readonly string[] {
  return confirmation(anInput(changes)).warnings.map(({ id }) => id);
}

const template: Template = {
  id: 1,
  hashId: 'h',
  name: 'Only 3090',
  image: 'i',
  raw: {},
  runtype: 'ssh',
  sshDirect: true,
};

describe('the confirmation', () => {
  it('shows what is rented and what it costs, to the cent', () => {
    assert.deepEqual(shown(anInput({ credit: fromDollars(20) })), {
      machine: '1× RTX 4090 24 GB, Sweden',
      source: 'ubuntu',
      disk: '20 GB',
      label: 'none',
      runtype: 'SSH, direct',
      ports: '1 needed, 20 available',
      running: '$0.405/h, $9.70/day',
      stopped: '$0.0042/h, $0.100/day, $3.00 for 30 days',
      stay: '$3.44 for 8 h, 50 GB down (download $0.0040/GB, upload $0.0020/GB)',
      credit: '$20.00 lasts 2 days 1 h',
    });
  });

  it('has a row for the end, which names what keeps it where no login is possible', () => {
    const source = { kind: 'image', image: 'x' } as const;
    const end = { idleMinutes: 30, destroyAfterDays: 0 };
    const row = (runtype: 'ssh_direct' | 'args') =>
      shown(anInput({ choices: { source, end, runtype } }))['end'];
    assert.equal(row('ssh_direct'), 'stops after 30 min idle');
    assert.equal(row('args'), 'stops after 30 min idle, only while an editor is open');
  });

  it('names the template as the source only for values that it sets', () => {
    const { runtype, disk } = shown(anInput());
    assert.doesNotMatch(`${runtype} ${disk}`, /template/i);
    const source = { kind: 'template', template } as const;
    assert.match(shown(anInput({ choices: { source } }))['runtype'] ?? '', /template/i);
    const chosen = shown(anInput({ choices: { source, runtype: 'jupyter' } }));
    assert.doesNotMatch(chosen['runtype'] ?? '', /template/i);
  });

  it('counts running instances against the credit', () => {
    const { credit } = shown(anInput({ credit: fromDollars(20), running: hourlyRate(fromDollars(1)) }));
    assert.equal(credit, '$20.00 lasts 2 days 1 h, or 14 h with your other instances and volumes');
    // The rest of a stopped disk changes no hour.
    const rest = shown(anInput({ credit: fromDollars(20), running: hourlyRate(fromDollars(0.0001)) }));
    assert.equal(rest['credit'], '$20.00 lasts 2 days 1 h');
  });

  it('names the most that a replacement may cost, which a template or a workspace may have set', () => {
    const most = (replaceLimit: number) =>
      shown(anInput({ replaceLimit: fromDollars(replaceLimit) }))['replacement'];
    assert.equal(most(0.9), 'up to $0.900/h, the price limit of this search');
    assert.equal(most(0.3), undefined);
    assert.equal(shown(anInput())['replacement'], undefined);
  });

  it('estimates the requested stay, and shows if that is impossible', () => {
    const stay = { hours: 10, downGb: 100, upGb: 0 };
    // 10 h at $0.405/h less rounding, and 100 GB at $0.004.
    assert.match(shown(anInput({ stay }))['stay'] ?? '', /^\$4\.45 for 10 h, 100 GB down \(/);
    const up = { stay: { ...stay, upGb: 5 } };
    const { inetUpPerGb, ...unpriced } = marketOffer();
    assert.ok(inetUpPerGb !== undefined);
    assert.match(
      shown(anInput({ ...up, offer: unpriced }))['stay'] ?? '',
      /^download \$0\.0040\/GB, upload at an unknown price; the sum is unknown$/,
    );
    const offer = marketOffer({ inetUpPerGb: fromDollars(0.02) });
    assert.equal(
      shown(anInput({ ...up, offer }))['stay'],
      '$4.55 for 10 h, 100 GB down, 5 GB up (download $0.0040/GB, upload $0.020/GB)',
    );
  });

  it('shows that a free transfer is free, and leaves out what is not expected', () => {
    const offer = marketOffer({ inetDownPerGb: fromDollars(0), inetUpPerGb: fromDollars(0) });
    assert.equal(
      shown(anInput({ offer, stay: { hours: 8, downGb: 0, upGb: 0 } }))['stay'],
      '$3.24 for 8 h (download free, upload free)',
    );
  });

  it('shows no limit of the known price while the volumes are being read', () => {
    const running = hourlyRate(fromDollars(1));
    const { credit } = shown(
      anInput({ credit: fromDollars(20), running, isRunningPartial: true, isRunningEarly: true }),
    );
    assert.equal(credit, '$20.00 lasts 2 days 1 h, or 14 h with your other instances and volumes');
  });

  it('shows which values are of the template and which were entered, as the service merges them', () => {
    const rich: Template = {
      ...template,
      image: 'pytorch/pytorch',
      tag: 'latest',
      runtype: 'jupyter',
      useJupyterLab: true,
      jupyterDir: '/workspace',
      env: '-e MODE=train -e SEED=1',
      onstart: 'run.sh',
      dockerLoginRepo: 'ghcr.io',
      recommendedDiskGb: 42,
      volumeInfo: { size: 10 },
    };
    const source = { kind: 'template' as const, template: rich };
    const all = shown(anInput({ choices: { source } }));
    assert.deepEqual(
      ['image', 'disk', 'runtype', 'env', 'onstart', 'volume', 'lab', 'jupyterDir', 'login'].map(
        (id) => all[id],
      ),
      [
        'pytorch/pytorch:latest (from the template)',
        '42 GB (from the template)',
        'Jupyter and SSH, through the service (from the template)',
        'MODE, SEED (from the template)',
        '6 characters (from the template)',
        'none: the service ignores the volume of a template',
        'JupyterLab (from the template)',
        '/workspace (from the template)',
        'set (from the template)',
      ],
    );
    const own = shown(
      anInput({
        choices: {
          source,
          diskGb: 50,
          runtype: 'ssh_direct',
          env: { SEED: '2' },
          onstart: 'x',
          imageLogin: '-u a',
        },
      }),
    );
    assert.deepEqual(
      ['disk', 'runtype', 'env', 'onstart', 'lab', 'login'].map((id) => own[id]),
      [
        '50 GB',
        'SSH, direct',
        'MODE (from the template); SEED',
        '1 character, in place of the template’s',
        undefined,
        'set',
      ],
    );
  });

  it('shows if the running instances already cost more than is known', () => {
    const known = { credit: fromDollars(20), running: hourlyRate(fromDollars(1)), isRunningPartial: true };
    assert.equal(
      shown(anInput(known))['credit'],
      '$20.00 lasts 2 days 1 h, or at most 14 h with your other instances and volumes',
    );
    assert.deepEqual(warned({ ...known, limitPerHour: fromDollars(5) }), ['limitUnknown']);
    assert.deepEqual(warned({ ...known, limitPerHour: fromDollars(1.2) }), ['limit']);
    assert.deepEqual(warned(known), []);
  });

  it('counts every copy', () => {
    const input = anInput({ choices: { source: { kind: 'image', image: 'ubuntu' }, count: 3 } });
    assert.equal(shown(input)['running'], '$1.22/h, $29.10/day');
    assert.equal(shown(input)['count'], '3; other hosts may charge more for storage and traffic');
    assert.equal(shown(input)['stopped'], '$0.013/h, $0.300/day, $9.00 for 30 days');
  });

  it('counts a new volume, running and stopped', () => {
    const input = anInput({
      choices: {
        source: { kind: 'image', image: 'ubuntu' },
        volume: { kind: 'create', volumeId: 3, sizeGb: 50, mountPath: '/data' },
        volumePerGbMonth: fromDollars(0.12),
      },
    });
    assert.equal(shown(input)['running'], '$0.413/h, $9.90/day');
    assert.equal(shown(input)['stopped'], '$0.013/h, $0.300/day, $9.00 for 30 days');
    assert.equal(shown(input)['volume'], 'a new one of 50 GB at /data');
  });

  it('states no sum if the price of a new volume is not stated, and explains why', () => {
    const input = anInput({
      choices: {
        source: { kind: 'image', image: 'ubuntu' },
        volume: { kind: 'create', volumeId: 3, sizeGb: 50, mountPath: '/data' },
      },
    });
    const { total, warnings, quote, overLimit } = confirmation(input);
    assert.equal(overLimit, false);
    assert.equal(confirmation({ ...input, limitPerHour: fromDollars(0.1) }).overLimit, true);
    const limited = confirmation({ ...input, limitPerHour: fromDollars(9) });
    assert.deepEqual(
      limited.warnings.map(({ id }) => id),
      ['limitUnknown', 'volumeUnknown'],
    );
    assert.equal(total, undefined);
    assert.notEqual(quote.running, undefined);
    assert.deepEqual(
      warnings.map(({ id }) => id),
      ['volumeUnknown'],
    );
  });

  it('names the options that few rentals have, and of a login only that there is one', () => {
    const source = { kind: 'image' as const, image: 'ubuntu' };
    const { lab, jupyterDir, login, utf8, args } = shown(
      anInput({
        choices: {
          source,
          useJupyterLab: true,
          jupyterDir: '/workspace',
          imageLogin: '-u me -p secret ghcr.io',
          pythonUtf8: true,
          args: '--unused',
        },
      }),
    );
    assert.deepEqual(
      { lab, jupyterDir, login, utf8, args },
      { lab: 'JupyterLab', jupyterDir: '/workspace', login: 'set', utf8: 'Python', args: undefined },
    );
    assert.equal(shown(anInput({ choices: { source, runtype: 'args', args: '-v' } }))['args'], '-v');
  });

  it('has no warning for an ordinary rental', () => {
    assert.deepEqual(warned({ credit: fromDollars(20) }), []);
  });

  it('warns of a run type without SSH and leads to the step', () => {
    const { warnings } = confirmation(
      anInput({ choices: { source: { kind: 'image', image: 'x' }, runtype: 'args' } }),
    );
    assert.deepEqual(
      warnings.map(({ id, step }) => [id, step]),
      [['noShell', 'runtype']],
    );
  });

  it('warns of a template that holds a reference instead of the value of a secret', () => {
    const env = '-e HF_TOKEN=${secret:HF_TOKEN-12} -e WANDB="key ${secret:w}" -e MODE=$HOME';
    const source = { kind: 'template' as const, template: { ...template, env } };
    const { warnings } = confirmation(anInput({ choices: { source } }));
    assert.deepEqual(
      warnings.map(({ id, step }) => [id, step]),
      [['reference', 'options']],
    );
    assert.match(formatText(warnings[0]?.text ?? { template: '', args: [] }), /: HF_TOKEN, WANDB\./);
    const own = { HF_TOKEN: 'hf_1', WANDB: 'w' };
    assert.deepEqual(confirmation(anInput({ choices: { source, env: own } })).warnings, []);
  });

  it('warns of everything that does not fit', () => {
    assert.deepEqual(warned({ offer: marketOffer({ directPorts: 0 }) }), ['ports']);
    assert.deepEqual(warned({ offer: marketOffer({ diskSpaceGb: 10 }) }), ['disk']);
    assert.deepEqual(warned({ offer: marketOffer({ verified: false }) }), ['unverified']);
    assert.deepEqual(warned({ offer: marketOffer({ durationSeconds: 3600 }) }), ['endsSoon']);
    assert.deepEqual(warned({ rentalType: 'interruptible' }), ['bid']);
    assert.deepEqual(warned({ credit: fromDollars(0.5) }), ['credit']);
    assert.deepEqual(warned({ offer: { id: 1 } }), ['priceUnknown', 'stoppedUnknown']);
  });

  it('explains for used-up credit what to do, and states no time', () => {
    for (const credit of [0, -3.2]) {
      const [warning] = confirmation(anInput({ credit: fromDollars(credit) })).warnings;
      assert.match(warning?.text.template ?? '', /^You have no credit left, and at zero/);
    }
  });

  it('names the template that is not meant for the machine', () => {
    const choices = {
      source: {
        kind: 'template' as const,
        template: { ...template, extraFilters: { gpu_name: { eq: 'RTX 3090' } } },
      },
      diskGb: 20,
    };
    const [warning] = confirmation(anInput({ choices })).warnings;
    assert.ok(warning);
    assert.equal(
      formatText(warning.text),
      'The template Only 3090 requires GPU: RTX 3090. This machine has RTX 4090.',
    );
  });

  it('warns when all machines together pass the limit', () => {
    const limitPerHour = fromDollars(1);
    const under = confirmation(anInput({ limitPerHour, running: hourlyRate(fromDollars(0.5)) }));
    const over = confirmation(anInput({ limitPerHour, running: hourlyRate(fromDollars(0.6)) }));
    assert.ok(!under.overLimit);
    assert.ok(over.overLimit);
    assert.deepEqual(
      over.warnings.map(({ text }) => formatText(text)),
      ['All your instances would then cost up to $1.01/h. Your limit is $1.00/h.'],
    );
  });

  it('names a machine as it is sold, and unknown values as unknown', () => {
    assert.equal(
      machineName(marketOffer({ gpuCount: 4, gpuRamMb: 81_559, gpuName: 'H100 SXM' })),
      '4× H100 SXM 80 GB',
    );
    assert.equal(machineName({ id: 1 }), '1× ?');
  });
});
