/**
 * Messages for a model if the editor did not answer: what was done, and what to do next. Not translated, because models
 * read them.
 */
const sentences: Readonly<Record<string, string>> = {
  noEditor:
    'GPU Rental runs inside the editor, and no window with it is open. Nothing was done. Ask the user to open the editor, then call again.',
  refused:
    'The editor does not accept this connection, because it runs another version of GPU Rental or has no permission to share it. Nothing was done. Ask the user to reload the editor window and to run Set Up Agents again.',
  notReady: 'GPU Rental is still starting in the editor. Nothing was done. Call again in 5 seconds.',
  off: 'Agent access is off. Nothing was done. Ask the user to set gpuRental.agents.access, or to run Set Up Agents, in the editor.',
  busy: 'Too many calls are open. Nothing was done by this one. Wait for the others, then call again.',
  tooLarge:
    'The arguments are too large: a call may have 256 KB. Nothing was done. Call again with less. For files, use scp or rsync with the alias of connect_instance.',
  lost: 'The editor window closed during the call, so its outcome is not known. Call again with the same arguments, and the same requestId where there is one: nothing is done twice.',
  late: 'The editor took more than 50 seconds to answer. Call again with the same arguments, and the same requestId where there is one: nothing is done twice.',
  cancelled: 'The call was canceled.',
  failed:
    'GPU Rental failed to answer. Call again with the same arguments, and the same requestId where there is one: nothing is done twice. If it fails again, ask the user to look at the log of GPU Rental.',
};

export function problemSentence(problem: unknown): string {
  const known = typeof problem === 'string' && Object.hasOwn(sentences, problem) ? problem : 'failed';
  return sentences[known] ?? '';
}
