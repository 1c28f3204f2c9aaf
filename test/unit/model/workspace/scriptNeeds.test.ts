import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ScriptBlockError, scriptNeeds } from '../../../../src/model/workspace/scriptNeeds';

const script = (...lines: readonly string[]) =>
  ['#!/usr/bin/env python3', '# /// script', ...lines.map((line) => `# ${line}`.trimEnd()), '# ///', ''].join(
    '\n',
  );
const needsOf = (source: string) => scriptNeeds('train.py', source);
const refusal = (source: string) => {
  try {
    needsOf(source);
  } catch (error) {
    assert.ok(error instanceof ScriptBlockError);
    return error.message;
  }
  return undefined;
};

describe('the needs of a script', () => {
  it('are read from its block of comments, with any line ends', () => {
    const source = script(
      'requires-python = ">=3.10, <3.14"',
      'dependencies = [',
      '  "Torch>=2",',
      '',
      '  "my_pkg[extra] @ https://example.com/x.whl",',
      ']',
      '[tool.gpu-rental]',
      'machine = "PyTorch"',
      'outputs = ["out/**"]',
      'limits = { hours = 2, costDollars = 1.5 }',
    );
    const needs = {
      python: '>=3.10, <3.14',
      packages: ['torch', 'my-pkg'],
      choosesTorch: false,
      wanted: { machine: 'PyTorch', outputs: ['out/**'], limits: { hours: 2, costDollars: 1.5 } },
    };
    for (const end of ['\n', '\r\n', '\r']) {
      assert.deepEqual(needsOf(`\ufeff${source.replaceAll('\n', end)}`), needs);
    }
  });

  it('are none without a closed block of this type, and none of another language', () => {
    const block = script('dependencies = []');
    assert.deepEqual(needsOf(block), { packages: [], choosesTorch: false, wanted: {} });
    for (const source of [
      'print(1)\n',
      block.replace('# /// script', '# /// pyproject'),
      block.replace('# /// script', '## /// script'),
      block.replace('# /// script', ' # /// script'),
      block.replace(/# \/\/\/\n$/, 'import torch\n'),
      '# /// script\n# ///\n',
    ]) {
      assert.equal(needsOf(source), undefined, source);
    }
    assert.equal(scriptNeeds('train.sh', block), undefined);
  });

  it('end with the last mark of their comment, and blocks of other types hold none', () => {
    const other = '# /// doc\n# /// script\n# ///\n# text\n# ///\n\n';
    assert.deepEqual(needsOf(other + script('dependencies = ["numpy"]'))?.packages, ['numpy']);
    const text = script('dependencies = ["numpy"]', 'description = """', '///', '"""');
    assert.deepEqual(needsOf(text)?.packages, ['numpy']);
  });

  it('are refused in two blocks, in wrong TOML, with wrong values and in a block that is too long', () => {
    const block = script('dependencies = ["numpy"]');
    assert.match(refusal(`${block}\n${block}`) ?? '', /more than one "# \/\/\/ script" block/);
    assert.match(refusal(script('dependencies = []', 'x = $(run)')) ?? '', /not valid TOML in its line 2\.$/);
    assert.match(refusal(script('dependencies = "numpy"')) ?? '', /"dependencies" .* wrong value/);
    assert.match(refusal(script('requires-python = "--help"')) ?? '', /"requires-python" .* wrong value/);
    assert.match(refusal(script('[tool.gpu-rental.limits]', 'hours = -1')) ?? '', /limits\.hours/);
    assert.match(refusal(script(`x = "${'a'.repeat(70_000)}"`)) ?? '', /too long/);
  });

  it('show whether PyTorch has a source of its own', () => {
    for (const lines of [
      ['[[tool.uv.index]]', 'url = "https://example.com"'],
      ['[tool.uv]', 'torch-backend = "cpu"'],
      ['[tool.uv.sources]', 'torch = { index = "x" }'],
    ]) {
      assert.equal(needsOf(script('dependencies = []', ...lines))?.choosesTorch, true);
    }
    assert.equal(needsOf(script('[tool.uv]', 'exclude-newer = "2025-01-01"'))?.choosesTorch, false);
  });

  it('are read in a time that grows with the text, not with its square', () => {
    const marks = '# /// script\n# ///\n# /// x\n'.repeat(60_000);
    const started = performance.now();
    refusal(marks);
    needsOf('# /// script\n'.repeat(100_000));
    needsOf('# /// a\n\n'.repeat(100_000));
    assert.ok(performance.now() - started < 5000);
  });

  it('are read or refused in any text', () => {
    const line = fc.constantFrom(
      '# /// script',
      '# ///',
      '#',
      '# a = 1',
      '# [a]',
      '# dependencies = ["b"]',
      'x',
      '',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 20 }), (lines) => {
        refusal(lines.join('\n'));
      }),
    );
  });
});
