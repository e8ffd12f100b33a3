// The wake net: Chrome starts a dead worker for an alarm. Alarms are lost with an update and, in older versions, with
// the browser, so the alarm is made anew at every start.

import { WAKE_EVERY_MINUTES } from '../core/limits.js';

const WAKE = 'wake';

/** @param {(event: {type: 'wake'}) => void} onEvent */
export function listen(onEvent) {
  chrome.alarms.onAlarm.addListener((alarm) => {
    if (alarm.name === WAKE) onEvent({ type: 'wake' });
  });
  return chrome.alarms.create(WAKE, { periodInMinutes: WAKE_EVERY_MINUTES });
}
