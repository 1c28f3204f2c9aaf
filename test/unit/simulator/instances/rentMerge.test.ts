import assert from 'node:assert/strict';
import {
  containerPort,
  envFromFlags,
  splitWords,
  variablesOf,
} from '../../../../src/simulator/instances/envFlags';
import { mergeRent } from '../../../../src/simulator/instances/rentMerge';
import { imageRuntype, parseRuntype, runtypePorts } from '../../../../src/simulator/instances/runtype';
import type { RentTemplate } from '../../../../src/simulator/ports';
import { ServiceError } from '../../../../src/simulator/route';

const template: RentTemplate = {
  id: 5,
  hashId: 'abc',
  name: 'Base',
  image: 'pytorch/pytorch',
  tag: '2.4',
  env: '-e A=1 -e B=two -p 8000:8000',
  onstart: 'echo from template',
  runtype: 'ssh',
  sshDirect: true,
  argsStr: '--serve',
  useJupyterLab: true,
  jupyterDir: '/work',
  dockerLoginRepo: 'registry.example.com',
  dockerLoginUser: 'robot',
  dockerLoginPass: 'token',
  extraFilters: { num_gpus: { gte: 2 }, verified: { eq: true } },
  recommendedDiskSpace: 64,
};

describe('Renting from a template', () => {
  it('uses the values of the template that the request leaves out', () => {
    assert.deepEqual(mergeRent({}, template), {
      image: 'pytorch/pytorch:2.4',
      diskGb: 8,
      access: { ssh: true, jupyter: false, direct: true },
      onstart: 'echo from template',
      args: ['--serve'],
      jupyterLab: true,
      jupyterDir: '/work',
      env: { A: '1', B: 'two', '-p 8000:8000': '1' },
      extraFilters: { num_gpus: { gte: 2 }, verified: { eq: true } },
      imageLogin: '-u robot -p token registry.example.com',
    });
  });

  it('lets scalars of the request win (rule 1), empty ones too', () => {
    const merged = mergeRent(
      {
        image: 'mine/image:1',
        disk: 30,
        runtype: 'jupyter_proxy',
        onstart: '',
        args: ['x'],
        useJupyterLab: false,
        jupyterDir: '/',
        imageLogin: '-u me -p t r',
      },
      template,
    );
    assert.deepEqual(
      [merged.image, merged.diskGb, merged.onstart, merged.args, merged.jupyterLab, merged.jupyterDir],
      ['mine/image:1', 30, '', ['x'], false, '/'],
    );
    assert.deepEqual(merged.access, { ssh: true, jupyter: true, direct: false });
    assert.equal(merged.imageLogin, '-u me -p t r');
  });

  it('merges environments by key, and the request wins (rule 2)', () => {
    const merged = mergeRent({ env: { B: 'mine', C: '3', '-p 9000:9000': '1' } }, template);
    assert.deepEqual(merged.env, { A: '1', B: 'mine', C: '3', '-p 8000:8000': '1', '-p 9000:9000': '1' });
  });

  it('merges extra filters by key, and the request wins (rule 3)', () => {
    const merged = mergeRent({ extraFilters: { num_gpus: { eq: 1 } } }, template);
    assert.deepEqual(merged.extraFilters, { num_gpus: { eq: 1 }, verified: { eq: true } });
  });

  it('carries registry credentials over (rule 4), when there is a registry', () => {
    assert.equal(mergeRent({}, { ...template, dockerLoginRepo: '' }).imageLogin, null);
    assert.equal(mergeRent({}, undefined).imageLogin, null);
  });

  it('has args as the run type of a template that names none', () => {
    const bare: RentTemplate = { id: 1, hashId: 'h', name: 'n', image: 'i' };
    assert.deepEqual(mergeRent({}, bare).access, { ssh: false, jupyter: false, direct: false });
    assert.deepEqual(mergeRent({}, { ...bare, useSsh: true }).access.ssh, true);
    assert.deepEqual(mergeRent({}, { ...bare, runtype: 'jupyter', jupDirect: true }).access, {
      ssh: true,
      jupyter: true,
      direct: true,
    });
    assert.equal(mergeRent({}, { ...bare, runtype: 'args', sshDirect: true }).access.direct, false);
  });

  it('adds the tag only to an image that has none', () => {
    const image = (name: string, tag?: string) =>
      mergeRent({}, { id: 1, hashId: 'h', name: 'n', image: name, ...(tag === undefined ? {} : { tag }) })
        .image;
    assert.equal(image('a/b', 'v1'), 'a/b:v1');
    assert.equal(image('a/b:v2', 'v1'), 'a/b:v2');
    assert.equal(image('host:5000/a/b', 'v1'), 'host:5000/a/b:v1');
    assert.equal(image('a/b'), 'a/b');
  });
});

describe('The flag form of an environment', () => {
  it('is read as a shell would read it', () => {
    assert.deepEqual(splitWords(`a "b c" 'd "e"' f\\ g h"i"j ""`), ['a', 'b c', 'd "e"', 'f g', 'hij', '']);
    assert.deepEqual(
      envFromFlags(`-e A="x y" -e B='it''s' --env=C=1=2 -eD=4 -e E -p 80:8080 -p8888:8888/udp -h box stray`),
      {
        A: 'x y',
        B: 'its',
        C: '1=2',
        D: '4',
        E: '',
        '-p 80:8080': '1',
        '-p 8888:8888/udp': '1',
        '-h box': '1',
      },
    );
    assert.deepEqual(envFromFlags('-e A=o\\\nne \\\r\n-p 1:1'), { A: 'one', '-p 1:1': '1' });
    assert.deepEqual(envFromFlags(''), {});
  });

  it('knows ports from variables', () => {
    assert.equal(containerPort('-p 80:8080'), '8080/tcp');
    assert.equal(containerPort('-p 8888:8888/udp'), '8888/udp');
    assert.equal(containerPort('PORT'), undefined);
    assert.deepEqual(variablesOf({ A: '1', '-p 1:2': '1', 'not a name': 'x' }), [['A', '1']]);
  });
});

describe('A run type', () => {
  it('is read in its documented and in its compound spelling', () => {
    const direct = { ssh: true, jupyter: false, direct: true };
    assert.deepEqual(parseRuntype('ssh_direct'), direct);
    assert.deepEqual(parseRuntype('ssh_direc ssh_proxy'), direct);
    assert.deepEqual(parseRuntype('ssh'), parseRuntype('ssh_proxy'));
    assert.deepEqual(parseRuntype('jupyter'), parseRuntype('jupyter_proxy ssh_proxy'));
    assert.deepEqual(parseRuntype('jupyter_direct'), { ssh: true, jupyter: true, direct: true });
    assert.deepEqual(parseRuntype('args'), { ssh: false, jupyter: false, direct: false });
    assert.throws(() => parseRuntype('telnet'), ServiceError);
  });

  it('opens the documented ports and is shown in the compound form', () => {
    const shown = (text: string) => [imageRuntype(parseRuntype(text)), ...runtypePorts(parseRuntype(text))];
    assert.deepEqual(shown('ssh_direct'), ['ssh ssh_direc ssh_proxy', '22/tcp']);
    assert.deepEqual(shown('ssh'), ['ssh ssh_proxy']);
    assert.deepEqual(shown('jupyter_direct'), [
      'jupyter jupyter_direc ssh_direc jupyter_proxy ssh_proxy',
      '8080/tcp',
      '22/tcp',
    ]);
    assert.deepEqual(shown('jupyter_proxy'), ['jupyter jupyter_proxy ssh_proxy']);
    assert.deepEqual(shown('args'), ['args']);
  });
});
