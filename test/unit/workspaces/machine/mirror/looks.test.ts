import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { MirrorScene } from '../../../../support/mirrorScene';

describe('A look at a folder that is kept on an instance', () => {
  let scene: MirrorScene;

  beforeEach(() => {
    scene = new MirrorScene();
  });
  afterEach(() => scene.dispose());

  it('does not read again what it has just sent', async () => {
    for (let index = 0; index < 30; index += 1) {
      scene.write(`${index}.bin`, String(index).repeat(20_000));
    }
    const hashed: string[] = [];
    const counted = scene.open({
      ssh: {
        exec: async (alias, script, options = {}) => {
          if (options.isLook !== true || typeof options.input !== 'object') {
            return scene.exec(alias, script, options);
          }
          const input = await text(options.input);
          hashed.push(...input.split('\0').slice(0, -1));
          return scene.exec(alias, script, { ...options, input });
        },
      },
    });
    await counted.settle();
    await counted.settle();
    assert.deepEqual(hashed, []);
  });
});
