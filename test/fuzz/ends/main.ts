import { playAll } from '../playAll';
import { playEnds } from './scene';

// Without the editor, whose product takes seconds to build.
void playAll(playEnds, process.argv.slice(3));
