import type { ChatCall } from '../shell';
import type { LaterWing } from '../wing';

/** Agents start with their first command or call, while the user lets them in, and where they asked for something. */
export const agents: LaterWing = {
  name: 'agents',
  needs: ['schedules', 'jobs'],
  stored: 'agents',
  watch({ agentDoor, chat, settings }, begin, own) {
    const check = () => {
      if (settings.get('gpuRental.agents.access') !== 'off') {
        void begin();
      }
    };
    own(settings.onDidChange('gpuRental.agents', check));
    check();
    // The wing replaces both, and refuses calls while access is off.
    const chatCall: ChatCall = async (...call) => {
      await begin();
      return chat.call === undefined || chat.call === chatCall
        ? { text: 'GPU Rental could not start. Nothing was done. See its log in the editor.', isError: true }
        : chat.call(...call);
    };
    chat.call = chatCall;
    own(agentDoor.serve(() => begin().then(() => ({ problem: 'notReady' }))));
  },
  load: async () => {
    const { wingOfAgents } = await import('./wing');
    return wingOfAgents;
  },
};
