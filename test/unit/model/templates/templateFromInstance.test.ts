import assert from 'node:assert/strict';
import { templateForImage, templateFromInstance } from '../../../../src/model/templates/templateFromInstance';
import { matchesRecipe } from '../../../../src/model/workspace/recipeMatch';

describe('a machine of a recipe', () => {
  it('was made from its template, or from its image where it names none', () => {
    assert.equal(matchesRecipe({ templateId: 3 }, { template: { id: 3 } }), true);
    assert.equal(matchesRecipe({ templateId: 4, image: 'a' }, { template: { id: 3 } }), false);
    assert.equal(matchesRecipe({ image: 'a/b' }, { image: 'a/b:latest' }), true);
    assert.equal(matchesRecipe({ image: 'a/b:2' }, { image: 'a/b:1' }), false);
    assert.equal(matchesRecipe({}, { image: 'a' }), false);
  });
});

describe('a template made from what exists', () => {
  const quote = (word: string) => `<${word}>`;

  it('splits an image into path and tag', () => {
    const parts = (image: string) => {
      const { image: path, tag, name } = templateForImage(image);
      return [path, tag, name];
    };
    assert.deepEqual(parts('pytorch/pytorch:2.5'), ['pytorch/pytorch', '2.5', 'pytorch']);
    assert.deepEqual(parts('host:5000/a'), ['host:5000/a', 'latest', 'a']);
    assert.deepEqual(parts('a@sha256:00'), ['a@sha256:00', 'latest', 'a@sha256:00']);
    assert.equal(templateForImage('a')['private'], true);
  });

  it('holds what an instance is, without what the service added', () => {
    const fields = templateFromInstance(
      {
        id: 1,
        label: 'trainer [gr-0123abcd]',
        image: 'a/b:1',
        runtype: 'jupyter_direc ssh_direc ssh_proxy',
        env: [
          ['A', '1'],
          ['-p 80:80', '1'],
          ['CONTAINER_API_KEY', 'secret'],
        ],
        onstart: 'make',
        diskSpaceGb: 20.4,
        gpuName: 'RTX 4090',
      },
      quote,
    );
    assert.deepEqual(
      [fields['name'], fields['runtype'], fields['jup_direct'], fields['recommended_disk_space']],
      ['trainer', 'jupyter', true, 21],
    );
    assert.deepEqual(fields['env'], { A: '1', '-p 80:80': '1' });
    assert.ok(!JSON.stringify(fields).includes('secret'));
  });

  it('starts what the instance starts, and names arguments where they have an effect alone', () => {
    const argsOf = (runtype: string, ...args: string[]) =>
      templateFromInstance({ id: 1, runtype, args }, quote)['args_str'];
    assert.equal(argsOf('args', 'serve', '--port', '80'), '<serve> <--port> <80>');
    assert.equal(argsOf('args', 'serve --port 80'), 'serve --port 80');
    assert.equal(argsOf('ssh ssh_direc', 'serve'), undefined);
    assert.ok(!('args_str' in templateFromInstance({ id: 1, runtype: 'args' }, quote)));
  });
});

describe('a template for an image of the service itself', () => {
  it('keeps the tag that the service chooses by', () => {
    const { image, tag } = templateForImage('vastai/base-image:@vastai-automatic-tag');
    assert.deepEqual([image, tag], ['vastai/base-image', '@vastai-automatic-tag']);
  });
});
