/* SPDX-License-Identifier: GPL-2.0 */
/* Raw sockets on devices of other network namespaces. */
#ifndef _PORT_H
#define _PORT_H

#include "pkt.h"

/**
 * struct port - a device to send to and receive from
 * @fd: packet socket
 * @ifindex: of the device
 */
struct port {
	int fd;
	int ifindex;
};

/**
 * netns_enter() - move this thread into a named namespace
 * @ns: its name
 *
 * Return: whether it worked; a failure is reported on stderr.
 */
bool netns_enter(const char *ns);

/**
 * port_stay_on_processor() - send all that follows from the present processor
 *
 * Each processor has a queue for the frames that come in on it, and on a busy one they
 * wait: a sender that went on to another in mid-burst would have some overtaken.
 *
 * Return: whether it worked; a failure is reported on stderr.
 */
bool port_stay_on_processor(void);

/**
 * port_open() - open a packet socket
 * @p: result
 * @ns: network namespace; the caller stays in it
 * @dev: name of the device
 *
 * Return: whether it worked; a failure is reported on stderr.
 */
bool port_open(struct port *p, const char *ns, const char *dev);

/**
 * port_send() - send a frame as it is
 * @p: where
 * @fr: the frame
 *
 * Return: whether the kernel took it.
 */
bool port_send(const struct port *p, const struct frame *fr);

/**
 * port_send_paged() - send a frame whose bytes stay in shared pages
 * @ns: network namespace of the device; the caller stays in it
 * @p: where
 * @fr: the frame, shorter than a page
 *
 * Only the Ethernet header is linear in the packet that the kernel makes, the
 * rest are page fragments that this process still maps.
 *
 * Return: whether the kernel took it and left the pages as they were.
 */
bool port_send_paged(const char *ns, const struct port *p,
		     const struct frame *fr);

/**
 * port_send_vnet() - send a GSO packet that does not say how many segments
 * @ns: network namespace of the device; the caller stays in it
 * @port: where
 * @p: description
 * @fr: the packet
 * @size: bytes of a segment above UDP or TCP
 *
 * Return: whether the kernel took it, else errno is %EINVAL if it knows no
 * segmentation of UDP here.
 */
bool port_send_vnet(const char *ns, const struct port *port,
		    const struct pkt *p, const struct frame *fr, size_t size);

/**
 * udp_send_gso() - send many datagrams with one call
 * @ns: network namespace; the caller stays in it
 * @p: what to send from and where to
 * @a: addresses
 * @fr: the packet
 * @size: bytes of a datagram
 *
 * Return: whether the kernel took it.
 */
bool udp_send_gso(const char *ns, const struct pkt *p,
		  const struct addressing *a, const struct frame *fr,
		  size_t size);

/**
 * port_receive_any() - wait for a frame
 * @p: where
 * @fr: result, with all its VLAN tags in the bytes
 * @timeout_ms: how long to wait
 *
 * Return: whether one came.
 */
bool port_receive_any(const struct port *p, struct frame *fr, int timeout_ms);

/**
 * port_receive() - wait for a frame that somebody sent on purpose
 * @p: where
 * @fr: result, with all its VLAN tags in the bytes
 * @timeout_ms: how long to wait
 *
 * Neighbour discovery and the like are skipped.
 *
 * Return: whether one came.
 */
bool port_receive(const struct port *p, struct frame *fr, int timeout_ms);

#endif
