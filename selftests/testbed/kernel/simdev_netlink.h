/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* Link attributes of simdev, shared with the topology builder. */
#ifndef _SIMDEV_NETLINK_H
#define _SIMDEV_NETLINK_H

/**
 * enum simdev_attr - attributes nested in IFLA_INFO_DATA
 * @SIMDEV_UNSPEC: unused
 * @SIMDEV_PAD: padding of 64-bit attributes
 * @SIMDEV_PEER: struct ifinfomsg and link attributes of the other end; only
 *	when the pair is created
 * @SIMDEV_RATE: u64, bit/s, 1 and up
 * @SIMDEV_DELAY: u32, nanoseconds of propagation
 * @SIMDEV_OVERHEAD: u32, bytes a frame occupies beyond its length
 * @SIMDEV_SWITCH: u32, number of the switch the port belongs to, 0 = none; the
 *	shared buffer is the switch's and set through any of its ports
 * @SIMDEV_BUFFER: u32, bytes of shared buffer, 0 = no accounting
 * @SIMDEV_PFC: u32, 0 = drop beyond the buffer, 1 = pause
 * @SIMDEV_PFC_SHIFT: u32, a port is paused above free buffer >> shift
 * @SIMDEV_PFC_XON: u32, bytes below the threshold at which it may go on
 * @SIMDEV_HEADROOM: u32, bytes a port may take beyond a full buffer
 *
 * All but the peer may be changed later, each end on its own. Two transmit
 * queues (IFLA_NUM_TX_QUEUES) make queue 0 one for control packets.
 */
enum simdev_attr {
	SIMDEV_UNSPEC,
	SIMDEV_PAD,
	SIMDEV_PEER,
	SIMDEV_RATE,
	SIMDEV_DELAY,
	SIMDEV_OVERHEAD,
	SIMDEV_SWITCH,
	SIMDEV_BUFFER,
	SIMDEV_PFC,
	SIMDEV_PFC_SHIFT,
	SIMDEV_PFC_XON,
	SIMDEV_HEADROOM,
	__SIMDEV_MAX
};

#define SIMDEV_MAX (__SIMDEV_MAX - 1)

#endif
