import { documentScripts } from './documentScripts';
import { inputBoxScripts } from './inputBoxScripts';
import { messageScripts } from './messageScripts';
import { quickPickScripts } from './quickPickScripts';
import { valueScripts } from './valueScripts';

/** Everything in which the stand-in has to behave as the editor does. */
export const editorScripts = [
  ...quickPickScripts,
  ...inputBoxScripts,
  ...messageScripts,
  ...documentScripts,
  ...valueScripts,
];
