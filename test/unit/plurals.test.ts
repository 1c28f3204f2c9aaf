import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const bundle = path.join(__dirname, '../../l10n/bundle.l10n.json');
/** A number and what it counts: "{0} files", "{1} more instances". */
const counted =
  /\{(\d)\} (more )?(cores|countries|days|deployments|directories|entries|files|hours|instances|jobs|keys|machines|minutes|models|offers|outputs|permissions|ports|rentals|renters|repositories|rows|templates|times|volumes|workers|characters|charges|SSH keys)\b/;
/** Their number is more than one wherever they are shown, or what stands after it is a name. */
const several = [
  '{0} outputs could not be fetched. The first is {1}: {2}',
  'The on-start script is too long: {0} characters, and {1} when compressed, of {2} at most. Put part of it into the image or download it from the script.',
  '{0} countries',
  '{0} instances',
  '{0} jobs on {1}, {2} at most for all of them, without traffic',
  '{0} days {1} h',
  'A command has at most {0} characters. This one has {1}.',
  'A command has between 1 and {0} characters. This one has {1}.',
  'A file has at most {0} jobs.',
  'A matrix makes at most {0} jobs.',
  'A name has at most {0} characters. This one has {1}.',
  'At least {0} characters, or none.',
  'At most {0} characters.',
  'Download: {0}. The machines of your last {1} rentals had {2} (median).',
  'Last {0} days',
  'Reliability: {0}. The machines of your last {1} rentals had {2} (median).',
  'Rent {0} machines like {1}?',
  'Rented {0} of {1} machines: {2}.',
  'The script has {0} characters. Scripts of more than {1} are compressed when renting.',
  'You can pin at most {0} offers. Unpin one first.',
  'Where is the script? At most {0} characters are sent; longer ones are compressed.',
  '{0} of the {1} offers read so far',
  'None of the {0} offers read so far match',
];

describe('sentences with a number', () => {
  const sentences = Object.keys(JSON.parse(readFileSync(bundle, 'utf8')) as Readonly<Record<string, string>>);
  const counting = sentences.filter((sentence) => counted.test(sentence) && !several.includes(sentence));

  it('have a form for one', () => {
    const without = counting.filter((sentence) => {
      const noun = counted.exec(sentence)?.[3] ?? '';
      return !sentences.some((other) => other !== sentence && hasOne(other, noun, beginningOf(sentence)));
    });
    assert.deepEqual(without, []);
  });

  it('are found', () => {
    assert.ok(counting.length > 10, `${counting.length} sentences`);
    assert.deepEqual(
      several.filter((sentence) => !sentences.includes(sentence)),
      [],
    );
  });
});

/** The text before the first place. */
function beginningOf(sentence: string): string {
  return sentence.slice(0, sentence.indexOf('{'));
}

/** Whether a sentence begins alike and names one thing, with its number or, after some words, without. */
function hasOne(sentence: string, noun: string, beginning: string): boolean {
  const one = noun.replace(/ies$/, 'y').replace(/s$/, '');
  return beginning === ''
    ? new RegExp(`(?:^|[^\\d])1 ${one}\\b`).test(sentence)
    : sentence.startsWith(beginning) && !new RegExp(`\\{\\d\\} (?:more )?${noun}\\b`).test(sentence);
}
