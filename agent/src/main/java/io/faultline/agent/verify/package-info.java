/** Reads files again outside of the server that keeps them, and says what cannot be read: which file, where, and which records of which partition that are. */
package io.faultline.agent.verify;
