import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import {
  bidProblem,
  defaultBid,
  diskProblem,
  effectiveRuntype,
  imageProblem,
  mergedEnv,
  neededPorts,
  plannedDiskGb,
  planRent,
  portShortage,
  readBid,
  readDiskGb,
  suggestBids,
  templateRuntype,
  type RentChoices,
} from '../../../../src/model/rentals/rentPlan';
import type { Template } from '../../../../src/model/templates/template';
import { formatText } from '../../../../src/util/text';
import { lacking, marketOffer } from '../../../support/marketOffer';

function aTemplate(changes: Partial<Template> = {}): Template {
  return { id: 7, hashId: 'abc', name: 'Torch', image: 'pytorch/pytorch', raw: {}, ...changes };
}
function fromTemplate(template: Partial<Template> = {}, changes: Partial<RentChoices> = {}): RentChoices {
  return { source: { kind: 'template', template: aTemplate(template) }, ...changes };
}
function fromImage(changes: Partial<RentChoices> = {}): RentChoices {
  return { source: { kind: 'image', image: 'ubuntu:24.04' }, ...changes };
}

describe('what is sent for a rental', () => {
  it('with a template leaves out what was not changed, except the disk', () => {
    assert.deepEqual(planRent(fromTemplate({ recommendedDiskGb: 32 }), 'on-demand'), {
      templateHash: 'abc',
      templateId: 7,
      diskGb: 32,
    });
  });

  it('with an image has direct SSH and a usual disk', () => {
    assert.deepEqual(planRent(fromImage(), 'on-demand'), {
      image: 'ubuntu:24.04',
      diskGb: 20,
      runtype: 'ssh_direct',
    });
  });

  it('has what was chosen', () => {
    const sent = {
      diskGb: 50,
      runtype: 'jupyter_direct',
      targetState: 'stopped',
      env: { A: '1', '-p 8080:8080': '1' },
      onstart: 'echo hi',
      useJupyterLab: true,
      jupyterDir: '/work',
      pythonUtf8: true,
      langUtf8: false,
      imageLogin: '-u a -p b ghcr.io',
      cancelUnavailable: false,
      vm: true,
      volume: { kind: 'link', volumeId: 3, mountPath: '/data' },
      bidPerHour: fromDollars(0.3),
    } as const;
    const choices = fromTemplate({}, { ...sent, label: '  training ', count: 2 });
    const plan = { ...sent, templateHash: 'abc', templateId: 7, label: 'training' };
    assert.deepEqual(planRent(choices, 'interruptible'), plan);
  });

  it('has no bid on demand, no arguments but for args, and nothing that is empty', () => {
    const choices = fromImage({
      bidPerHour: fromDollars(0.3),
      args: '--port 80',
      label: ' ',
      env: {},
      vm: false,
      targetState: 'running',
    });
    assert.deepEqual(planRent(choices, 'on-demand'), planRent(fromImage(), 'on-demand'));
    assert.equal(planRent({ ...choices, runtype: 'args' }, 'on-demand').args, '--port 80');
  });
});

describe('the disk', () => {
  it("is the template's recommendation, its documented default, and never below the least", () => {
    assert.equal(plannedDiskGb(fromTemplate({ recommendedDiskGb: 40 })), 40);
    assert.equal(plannedDiskGb(fromTemplate()), 8);
    assert.equal(plannedDiskGb(fromTemplate({ recommendedDiskGb: 2 })), 8);
    assert.equal(plannedDiskGb(fromTemplate({ recommendedDiskGb: 40 }, { diskGb: 100 })), 100);
  });

  it('is checked against the machine', () => {
    const problem = (typed: string) => {
      const found = diskProblem(typed, marketOffer({ diskSpaceGb: 99.5 }));
      return found && formatText(found);
    };
    assert.equal(problem('99'), undefined);
    assert.equal(problem('50 GB'), undefined);
    assert.equal(problem('100'), 'This machine has 99 GB.');
    assert.equal(problem('7'), 'At least 8 GB.');
    assert.equal(problem(''), 'Enter a number.');
    assert.equal(problem('many'), 'Enter a number.');
    assert.equal(readDiskGb('37.5 gb'), 37.5);
  });
});

describe('the run type', () => {
  it('of a template is what the service makes of it', () => {
    const of = (template: Partial<Template>) => templateRuntype(aTemplate(template));
    assert.equal(of({}), 'args');
    assert.equal(of({ runtype: 'args', useSsh: true }), 'args');
    assert.equal(of({ useSsh: true }), 'ssh_proxy');
    assert.equal(of({ runtype: 'ssh' }), 'ssh_proxy');
    assert.equal(of({ runtype: 'ssh', sshDirect: true }), 'ssh_direct');
    assert.equal(of({ runtype: 'ssh_direct' }), 'ssh_direct');
    assert.equal(of({ runtype: 'ssh_direc ssh_proxy' }), 'ssh_direct');
    assert.equal(of({ runtype: 'jupyter', jupDirect: true }), 'jupyter_direct');
    assert.equal(of({ runtype: 'jupyter' }), 'jupyter_proxy');
    assert.equal(of({ runtype: 'jupyter_direc ssh_direc ssh_proxy' }), 'jupyter_direct');
  });

  it('is direct SSH for an image, and what was chosen before all else', () => {
    assert.equal(effectiveRuntype(fromImage()), 'ssh_direct');
    assert.equal(effectiveRuntype(fromTemplate({}, { runtype: 'ssh_direct' })), 'ssh_direct');
  });
});

describe('environment and ports', () => {
  const choices = fromTemplate(
    { env: '-e A=1 -e B=2 -p 8080:8080', runtype: 'ssh', sshDirect: true },
    { env: { B: 'mine', '-p 9000:9000/udp': '1' } },
  );

  it('are merged as the service does it, each with its source', () => {
    assert.deepEqual(mergedEnv(choices), [
      { name: 'A', value: '1', from: 'template' },
      { name: '-p 8080:8080', value: '1', from: 'template' },
      { name: 'B', value: 'mine', from: 'here' },
      { name: '-p 9000:9000/udp', value: '1', from: 'here' },
    ]);
  });

  it('of a template count if a name is set twice, or another part can’t be read', () => {
    const broken = fromTemplate({
      env: '-e A=1 -e A=2 -p 8080:8080 -p 9000',
      runtype: 'ssh',
      sshDirect: true,
    });
    assert.deepEqual(mergedEnv(broken), [
      { name: 'A', value: '2', from: 'template' },
      { name: '-p 8080:8080', value: '1', from: 'template' },
    ]);
    assert.equal(neededPorts(broken), 2);
  });

  it('of a template may be the same inside and outside, wherever that is', () => {
    const same = fromTemplate({ env: '-p 8080:8080 -p 72299:72299', runtype: 'ssh', sshDirect: true });
    assert.equal(neededPorts(same), 3);
  });

  it('need a direct port each, beside those of the run type', () => {
    assert.equal(neededPorts(choices), 3);
    assert.equal(neededPorts({ ...choices, runtype: 'jupyter_direct' }), 4);
    assert.equal(neededPorts({ ...choices, runtype: 'ssh_proxy' }), 2);
    assert.deepEqual(portShortage(marketOffer({ directPorts: 2 }), choices), { needed: 3, has: 2 });
    assert.equal(portShortage(marketOffer({ directPorts: 3 }), choices), undefined);
    assert.equal(portShortage(lacking(marketOffer(), 'directPorts'), choices), undefined);
  });
});

describe('bids', () => {
  it('are suggested from the least up to the price on demand', () => {
    const offer = marketOffer({ minBidPerHour: fromDollars(0.2), gpuPerHour: fromDollars(0.23) });
    assert.deepEqual(
      suggestBids(offer).map(({ bid }) => bid),
      [fromDollars(0.2), fromDollars(0.22), fromDollars(0.23)],
    );
    assert.equal(defaultBid(offer), fromDollars(0.22));
    assert.equal(defaultBid({ id: 1 }), undefined);
  });

  it('are refused with the reason', () => {
    const problem = (typed: string) => {
      const found = bidProblem(typed, marketOffer());
      return found && formatText(found);
    };
    assert.equal(problem('0.25'), undefined);
    assert.equal(problem('$0,25'), undefined);
    assert.equal(problem('0.1'), 'The minimum bid for this machine is $0.200/h.');
    assert.equal(problem('33'), 'The service accepts at most $32.00/h.');
    for (const typed of ['x', '', '0', '-1']) {
      assert.equal(problem(typed), 'Enter a price per hour in dollars, such as 0.25.', typed);
    }
    assert.equal(readBid('$0,25'), fromDollars(0.25));
  });
});

describe('imageProblem', () => {
  it('accepts image paths and nothing else', () => {
    for (const image of [
      'vastai/base-image:@vastai-automatic-tag',
      'docker.io/vastai/pytorch:@vastai-automatic-tag',
      'ubuntu',
      'pytorch/pytorch:latest',
      'ghcr.io/a/b:1.2',
      'localhost:5000/x',
      `a@sha256:${'0'.repeat(64)}`,
    ]) {
      assert.equal(imageProblem(image), undefined, image);
    }
    for (const image of ['', ' ', 'a b', '-v /:/host', 'a;b', '$(x)', 'http://x/y']) {
      assert.notEqual(imageProblem(image), undefined, image);
    }
  });
});
