/** Whether what the agent costs stays the same as a server grows. */
package io.faultline.bench.scale;
